import { decodeCursor, encodeCursor } from '../jsonapi/cursor.ts'
import { ApiError } from '../jsonapi/errors.ts'
import type { Registry } from '../jsonapi/registry.ts'
import type { Found, Read, SessionStore, Store, Usage } from '../jsonapi/store.ts'
import { alongsideOf, type BoundRead, bindRead, type CompiledRead, runReads } from './bound-read.ts'
import type { Cipher } from './cipher.ts'
import { type Connection, connect } from './connection.ts'
import { held } from './held.ts'
import { readKept, recordsOf, type Snapshot, snapshotOf, snapshotReads } from './kept.ts'
import type { Quotas } from './refused.ts'
import type { TableSource } from './source.ts'
import type { Database } from './statement.ts'
import { writeChange } from './write.ts'

/** What a store is made of. */
export interface StoreOptions {
  readonly registry: Registry<TableSource>
  readonly db: Database & Partial<Pick<D1Database, 'withSession'>>
  readonly cipher: Cipher
  readonly waitUntil: (promise: Promise<unknown>) => void
  readonly quotas: Quotas
  /** Names the database in bookmarks, so that those of another one are told apart. */
  readonly name?: string
  /** Read from replicas, in sessions. A session costs even where there are none. */
  readonly replicated?: boolean
  /** Count the rows that reads touch; see {@link connect}. */
  readonly metered?: boolean
}

/** How long reference data is kept, and how long a load of it may take, in milliseconds. */
const keeping = { fresh: 5 * 60_000, patience: 5_000 }

/**
 * A bookmark as D1 writes them. It goes out as a cursor does, opaque, with a checksum and the name of its database:
 * what is malformed or foreign is ignored, since D1 would wait for a state that never comes.
 */
const bookmarkFormat = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/**
 * A store on D1. Build it once per isolate: it keeps compiled statements, and the resources of kept types.
 * One call of `read` is at most one round trip, none where everything is kept; one call of `write` is one.
 * A session reads from the nearest replica that is as new as its bookmark.
 *
 * @throws Error when a type is declared as kept that cannot be
 */
export function d1Store({
  registry,
  db,
  cipher,
  waitUntil,
  quotas,
  name = '',
  replicated = false,
  metered = false,
}: StoreOptions): SessionStore {
  const compiled = new Map<string, CompiledRead>()
  const scope = `bookmark of ${name}`
  const bind = (read: Read): BoundRead => bindRead(registry, cipher, compiled, read)
  const bindWhole = (read: Read): BoundRead =>
    bindRead(registry, cipher, compiled, read, Number.POSITIVE_INFINITY)
  const reads = snapshotReads(registry)
  const kept = held(
    async () => {
      const run = connect(db, newUsage(), false)
      return snapshotOf(reads, await runReads(run, reads.map(bindWhole)))
    },
    { ...keeping, waitUntil },
  )

  const storeOn = (run: Connection): Store => ({
    read: (reads) => guarded(() => readAll(registry, kept, run, bind, reads)),
    write: (type, change, owner) =>
      guarded(() => writeChange({ registry, run, cipher, bind, quotas }, type, change, owner)),
  })
  return {
    ...storeOn(connect(db, newUsage(), metered)),
    begin({ bookmark, writes }) {
      const usage = newUsage()
      const session = replicated
        ? db.withSession?.(constraintOf(scope, bookmark, writes))
        : undefined
      return {
        ...storeOn(connect(session ?? db, usage, metered)),
        usage,
        bookmark: () => {
          const state = session?.getBookmark()
          return state == null ? null : encodeCursor(scope, { keys: [state], limit: 1 })
        },
      }
    },
  }
}

/** Where a session begins: at the caller's bookmark, at the newest state for a write, else wherever is nearest. */
function constraintOf(scope: string, bookmark: string | undefined, writes: boolean): string {
  const [state = ''] = (bookmark && decodeCursor(scope, bookmark)?.keys) || []
  if (bookmarkFormat.test(state)) {
    return state
  }
  return writes ? 'first-primary' : 'first-unconstrained'
}

function newUsage(): Usage {
  return { roundTrips: 0, rowsRead: 0, rowsWritten: 0, attempts: 1 }
}

/** Answers reads of kept types from memory, and the others in one round trip. */
async function readAll(
  registry: Registry<TableSource>,
  kept: () => Snapshot | Promise<Snapshot>,
  run: Connection,
  bind: (read: Read) => BoundRead,
  reads: readonly [Read, ...Read[]],
): Promise<[Found, ...Found[]]> {
  const isKept = ({ type }: Read): boolean => registry.get(type).source.kept === true
  const stored = reads.filter((read) => !isKept(read))
  const needsKept =
    stored.length < reads.length ||
    reads.some((read) => alongsideOf(registry, read, true).length > 0)
  const [snapshot, found] = await Promise.all([
    needsKept ? kept() : new Map(),
    runReads(run, stored.map(bind)),
  ])
  const answers = found[Symbol.iterator]()
  const [first, ...rest] = reads.map((read) =>
    isKept(read)
      ? readKept(snapshot, read)
      : withKept(registry, snapshot, read, answers.next().value as Found),
  )
  return [first as Found, ...rest]
}

/** Adds the targets that come along from memory. */
function withKept(
  registry: Registry<TableSource>,
  snapshot: Snapshot,
  read: Read,
  found: Found,
): Found {
  const kept = alongsideOf(registry, read, true)
  if (kept.length === 0) {
    return found
  }
  const related = kept.flatMap(({ relationship, target }) => {
    const links =
      read.from.kind === 'linkage'
        ? found.links
        : found.records.flatMap(({ linkage }) => linkage[relationship]?.links ?? [])
    return recordsOf(snapshot, target, new Set(links.map(({ id }) => id)))
  })
  return { ...found, related: [...found.related, ...related] }
}

/** A failure of the database is a 500 that asks to come back; the cause goes to the log only. */
async function guarded<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run()
  } catch (cause) {
    throw new ApiError(
      [{ code: 'INTERNAL_SERVER_ERROR', detail: 'The request cannot be served at the moment.' }],
      { 'Retry-After': '1' },
      { cause },
    )
  }
}
