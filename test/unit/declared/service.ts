import type { Opened } from '#engine'
import { createApp } from '../../../src/app.ts'
import { createStore } from '../../../src/db/store.ts'
import type { Registry } from '../../../src/jsonapi/declare/registry.ts'
import { rateLimitFrom } from '../../../src/rate-limit/policy.ts'
import { cipher, storeOptions } from '../db/store-options.ts'
import { appOptions, callOf, sendTo } from '../http/app-options.ts'

/** The scopes of which every person has some. */
export const scopes: readonly string[] = ['things.read', 'things.write']

/** Every request is within its bucket, whatever it includes. */
const limit = rateLimitFrom({
  RATE_LIMIT_BURST_CAPACITY: '100000',
  RATE_LIMIT_REPLENISH_RATE: '100000',
})

/** The service of a registry on a database. `by` names a person who has all scopes; a `client` has none. */
export function serviceOn(database: Opened, registry: Registry) {
  const store = createStore({ ...storeOptions, database, registry, cipher, deadlineMs: 20_000 })
  let by = 'ann'
  const app = createApp({
    ...appOptions,
    limit,
    registry,
    store,
    verify: () => callOf(by, scopes, by === 'client' ? 'client' : 'user'),
  })
  return (method: string, path: string, body?: object, caller = 'ann') => {
    by = caller
    return sendTo(app, method, path, body)
  }
}
