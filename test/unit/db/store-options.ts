import { openDatabase } from '../../../src/db/engine.ts'
import { createStore, type StoreOptions } from '../../../src/db/store.ts'
import type { SessionStore, Store } from '../../../src/jsonapi/run/port.ts'
import { createCipher } from '../../../src/lib/key-ring.ts'
import type { Database } from './d1.ts'

/** A cipher of one key. */
export const cipher = createCipher({ current: 'k', keys: new Map([['k', new Uint8Array(32)]]) })

/** What a store is made of where a test is about something else. */
export const storeOptions = {
  waitUntil: () => {},
  onStale: () => {},
  quotas: { owned: 1_000, members: 1_000 },
  deadlineMs: 5_000,
} satisfies Partial<StoreOptions>

/** A store on a D1 database. It also reads and writes for requests of nobody in particular. */
export function openedStore(
  db: Database,
  options: Pick<StoreOptions, 'registry' | 'cipher'> & Partial<StoreOptions>,
): SessionStore & Pick<Store, 'read' | 'write'> {
  const all = { ...storeOptions, ...options }
  const database = openDatabase({ DB: db as D1Database }, { ...all, replicated: false })
  const store = createStore({ database, ...all })
  const open = () => store.begin({ writes: true })
  return {
    ...store,
    read: (reads) => open().read(reads),
    write: (edits, guard) => open().write(edits, guard),
  }
}
