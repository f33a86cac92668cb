import type { SessionStore } from '../jsonapi/run/store.ts'
import { connect, newUsage } from './connection.ts'
import { removeOldKeys } from './keys.ts'
import { d1Store, type StoreOptions } from './store.ts'

/*
 * D1 as the Worker has it. The Worker imports `#database`: that is this file (package.json), or `src/postgres/database.ts` with the same
 * exports in a build for PostgreSQL (wrangler.postgres.toml).
 */

/** The bindings of the Worker, as far as they matter here. */
interface Bindings {
  readonly DB: D1Database
}

/** How the database is used. */
export interface DatabaseOptions extends StoreOptions {
  /** Has D1 replicas? */
  readonly replicated: boolean
}

/** Makes the store of the service. */
export function openStore({ DB: db }: Bindings, options: DatabaseOptions): SessionStore {
  return d1Store({ ...options, db })
}

/** Asks the database whether it answers; rejects where it does not. */
export async function ask({ DB: db }: Bindings): Promise<void> {
  await db.prepare('SELECT 1').first()
}

/** What the scheduled run has done, and how many bytes the database has. */
export interface Tidied {
  readonly removed: number
  readonly steps: number
  readonly left: boolean
  readonly bytes: number
}

/** Removes old keys (contract, section 12). */
export async function tidy({ DB: db }: Bindings, deadlineMs: number): Promise<Tidied> {
  const done = await removeOldKeys(() => connect(db, newUsage(), { deadlineMs }))
  const { meta } = await db.prepare('SELECT 1').run()
  return { ...done, bytes: meta.size_after }
}
