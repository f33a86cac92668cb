import type { Env, MiddlewareHandler } from 'hono'
import type { Principal } from '../jsonapi/declare/access.ts'
import type { Usage } from '../jsonapi/run/store.ts'
import { putBounded } from '../lib/kept.ts'
import { bookmarkHeader } from './answers.ts'
import { type Representation, respondRead } from './respond.ts'

/** The most answers that are remembered for one state of the resources in memory. */
export const mostAnswers = 50

/** An answer, and what it has cost the database, which is nothing. */
interface Remembered {
  readonly representation: Representation
  readonly usage: Readonly<Usage>
}

/** The remembered answers by the state that they were made from. They go when the state goes. */
const answers = new WeakMap<object, Map<string, Remembered>>()

/**
 * Gives equal reads of resources that are all in memory, and that nobody owns, the same answer as long as the resources are the
 * same. A valid read of a caller with equal access is valid, too, so that nothing after this step is done again. A request with a
 * bookmark goes on, because its answer tells another one.
 *
 * @param stateOf gives an object that stands for the present state of all resources that the answer can hold; undefined where they
 * are not in memory
 */
export function remember(stateOf: () => object | undefined): MiddlewareHandler<Env> {
  return async function remember(c, next) {
    const state = stateOf()
    if (!state || c.req.header(bookmarkHeader) !== undefined) {
      return next()
    }
    const those = answers.get(state) ?? new Map<string, Remembered>()
    answers.set(state, those)
    const { path, search } = c.get('target')
    const key = JSON.stringify([accessOf(c.get('principal')), path, search])
    const known = those.get(key)
    if (known) {
      c.set('resourceId', c.req.param('id'))
      c.set('usage', known.usage)
      return respondRead(c, known.representation)
    }
    await next()
    const representation = c.get('representation')
    if (representation) {
      putBounded(those, key, { representation, usage: c.get('usage') }, mostAnswers)
    }
  }
}

/** What is equal for two callers whom the same rules of access admit, where nothing is owned. */
function accessOf({ kind, scopes }: Principal): readonly string[] {
  return [kind, ...[...scopes].toSorted()]
}
