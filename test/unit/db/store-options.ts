import { type D1StoreOptions, d1Store } from '../../../src/db/store.ts'
import type { SessionStore, Store } from '../../../src/jsonapi/run/store.ts'

/** What a store is made of where a test is about something else. */
export const storeOptions = {
  waitUntil: () => {},
  quotas: { owned: 1_000, members: 1_000 },
  replicated: false,
  deadlineMs: 5_000,
} satisfies Partial<D1StoreOptions>

/** A store that also reads and writes for requests of nobody in particular, each in a session of its own. */
export function openedStore(options: D1StoreOptions): SessionStore & Store {
  const store = d1Store(options)
  const open = () => store.begin({ writes: true })
  return {
    ...store,
    read: (reads) => open().read(reads),
    write: (edits, key) => open().write(edits, key),
  }
}
