import type { Context } from 'hono'
import type { Service } from '../jsonapi/run/read.ts'
import type { Session, SessionStore } from '../jsonapi/run/store.ts'
import { callerText } from '../rate-limit/name.ts'
import type { AppEnv } from './context.ts'
import { bookmarkHeader } from './respond.ts'
import { admittedStore } from './throttle.ts'

/** What an operation runs on, before a session with the store is opened. */
export interface Unopened extends Omit<Service, 'store'> {
  readonly store: SessionStore
}

/**
 * Opens the session of a request with the store, sets `session` and `usage`, and gives what the operation runs on: without a promise
 * where the store gives none.
 */
export function begun(
  c: Context<AppEnv>,
  { registry, root, sealer, store, mostOffset: most }: Unopened,
  writes: boolean,
): Service | Promise<Service> {
  const opening = store.begin({
    bookmark: () => c.req.header(bookmarkHeader),
    writes,
    withDeadline: c.get('withDeadline'),
    caller: () => callerText(c.get('principal')),
  })
  const opened = (session: Session): Service => {
    c.set('session', session)
    c.set('usage', session.usage)
    const { mostOffset = most } = c.get('price')
    return { registry, root, mostOffset, sealer, store: admittedStore(c, session) }
  }
  return opening instanceof Promise ? opening.then(opened) : opened(opening)
}
