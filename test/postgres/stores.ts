import { expect, vi } from 'vitest'
import type { Client } from '../../scripts/postgres/client.ts'
import { type Opened, openDatabase } from '../../src/db/postgres/pg-engine.ts'
import { createStore, type StoreOptions } from '../../src/db/store.ts'
import {
  type Edit,
  type Outcome,
  onlyId,
  type Read,
  type Session,
  type SessionStore,
} from '../../src/jsonapi/run/port.ts'
import { createCipher, parseKeyRing } from '../../src/lib/key-ring.ts'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { registry as services } from '../../src/resources/index.ts'
import { cardKeys } from '../support/card-keys.ts'

/** How many others are connected to a database: the statistics of a connection come when it has gone. A query, whose row has `n`. */
export const otherConnections = `SELECT count(*) AS n FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`

/** Waits until one transaction waits for the end of another one in the database of this client. */
export async function oneWaits(client: Client): Promise<void> {
  const waiting = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`
  await vi.waitFor(async () => {
    await client.query('SELECT pg_stat_clear_snapshot()')
    expect((await client.query(waiting)).rows).toHaveLength(1)
  }, 20_000)
}

/** The database at an address, as the Worker has it behind Hyperdrive. */
export function databaseAt(url: string, deadlineMs = 20_000): Opened {
  return openDatabase({ HYPERDRIVE: { connectionString: url } }, { deadlineMs })
}

/** A store on a database of PostgreSQL. */
export function openStoreAt(
  url: string,
  { deadlineMs = 20_000, ...options }: Partial<StoreOptions> = {},
): SessionStore {
  return createStore({
    database: databaseAt(url, deadlineMs),
    registry: services,
    cipher: createCipher(parseKeyRing(cardKeys)),
    waitUntil: () => {},
    onStale: () => {},
    quotas: { owned: 1_000, members: 1_000 },
    deadlineMs,
    ...options,
  })
}

/** What reads from a database of PostgreSQL and writes to it. Each call has a connection of its own. */
export function storeAt(url: string, options: Partial<StoreOptions> = {}) {
  const store = openStoreAt(url, options)
  /** Runs a call in a session of its own. */
  const within = async <Value>(call: (session: Session) => Promise<Value>): Promise<Value> => {
    const session = store.begin({ writes: true })
    return call(session).finally(() => session.close())
  }
  return {
    write: (...edits: readonly Edit[]): Promise<Outcome> =>
      within((session) => session.write(edits)),
    /** Does the user exist? */
    async has(id: string): Promise<boolean> {
      const [found] = await within((session) => session.read([reading(id, '')]))
      return found.records.length > 0
    },
  }
}

/** An edit of a user by whoever owns it. */
function edit(owner: string, id: string, kind: Edit['kind'], further?: Partial<Edit>): Edit {
  const nothing = { attributes: {}, relationships: {} }
  return { type: 'users', id, kind, ...nothing, owner, revision: uuidv7(), ...further }
}

function reading(id: string, viewer: string): Read {
  const from = { kind: 'ids', ids: [id] } as const
  return { type: 'users', from, show: onlyId, alongside: [], viewer }
}

export function creation(owner: string, id = uuidv7(), email = `${id}@example.com`): Edit {
  const attributes = { fullName: `Person ${id}`, email }
  return edit(owner, id, 'create', { attributes, read: reading(id, owner) })
}

export function renaming(owner: string, id: string, fullName: string, expected?: string): Edit {
  const ifMatch = expected === undefined ? undefined : [expected]
  return edit(owner, id, 'update', { attributes: { fullName }, ifMatch })
}

/** Deletes a user. */
export function deletion(owner: string, id: string): Edit {
  return edit(owner, id, 'delete')
}

/** Makes a user a relative of another one. */
export function related(owner: string, id: string, relative: string): Edit {
  const relatives = [{ id: relative, meta: { relationshipType: 'BROTHER' } }]
  return edit(owner, id, 'add', { relationships: { relatives } })
}

/** How a write ended, in a word. */
export function kindOf(outcome: Outcome): string {
  return outcome.kind === 'refused' ? String(outcome.faults[0]?.kind) : outcome.kind
}
