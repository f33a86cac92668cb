import type { Opened } from '#engine'
import { createApp } from '../../../src/app.ts'
import { createStore } from '../../../src/db/store.ts'
import type { Registry } from '../../../src/jsonapi/declare/registry.ts'
import { rateLimitFrom } from '../../../src/rate-limit/policy.ts'
import { cipher, storeOptions } from '../db/store-options.ts'
import { appOptions, personsWith, sendTo } from '../http/app-options.ts'

/** The scopes of which every person has some. */
export const scopes: readonly string[] = ['things.read', 'things.write']

/** Every request is within its bucket, whatever it includes. */
const limit = rateLimitFrom({
  RATE_LIMIT_BURST_CAPACITY: '100000',
  RATE_LIMIT_REPLENISH_RATE: '100000',
})

/** The service of a registry on a database. The caller is a person, or the `client`. */
export function serviceOn(database: Opened, registry: Registry) {
  const store = createStore({ ...storeOptions, database, registry, cipher, deadlineMs: 20_000 })
  const app = createApp({
    ...appOptions,
    limit,
    registry,
    store,
    verify: personsWith(scopes),
  })
  return (method: string, path: string, body?: object, as?: string) =>
    sendTo(app, method, path, { body, as })
}
