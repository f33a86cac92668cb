import { ApiError } from '../jsonapi/errors.ts'
import type { Read } from '../jsonapi/run/plan.ts'
import type { Found, SessionStore, Store } from '../jsonapi/run/store.ts'
import type { Signer } from '../lib/signer.ts'
import { createBookmarks } from './bookmarks.ts'
import { type BoundRead, edgesOf, readBinder, runReads } from './bound-read.ts'
import type { Cipher } from './cipher.ts'
import {
  type Connection,
  type ConnectionOptions,
  connect,
  DatabaseDeadline,
  newUsage,
} from './connection.ts'
import { held } from './held.ts'
import {
  keptMembers,
  membersRead,
  readKept,
  recordsOf,
  type Snapshot,
  snapshotOf,
  snapshotReads,
} from './kept.ts'
import type { Quotas } from './refused.ts'
import { UnknownOutcome } from './retry.ts'
import type { StoredRegistry } from './source.ts'
import type { Database } from './statement.ts'
import { writeEdits } from './write.ts'

/** What a store is made of. */
export interface StoreOptions extends ConnectionOptions {
  readonly registry: StoredRegistry
  readonly db: Database & Partial<Pick<D1Database, 'withSession'>>
  readonly cipher: Cipher
  readonly waitUntil: (promise: Promise<unknown>) => void
  readonly quotas: Quotas
  /** Read from replicas, in sessions. A session costs even where there are none. */
  readonly replicas?: Replicas | undefined
}

/** How the states of a replicated database are named (contract, section 16). */
interface Replicas {
  /** Tells the bookmarks of this database from those of another one. */
  readonly name: string
  readonly signer: Signer
}

/** Milliseconds that reference data are fresh, and that those who wait for a load give it past its own deadline. */
const keeping = { fresh: 5 * 60_000, grace: 250 }

/**
 * A store on D1. Build it once per isolate: it keeps compiled statements, and the resources of kept types.
 * One call of `read` is at most one round trip, none where everything is kept; one call of `write` is one.
 * A session reads from the nearest replica that is as new as what its caller has seen. It fails rather than wait
 * longer than its deadlines.
 */
export function d1Store(options: StoreOptions): SessionStore {
  const { registry, db, cipher, waitUntil, quotas, replicas, deadlineMs } = options
  const bind = readBinder(registry, cipher)
  const bookmarks = replicas && createBookmarks(replicas.name, replicas.signer)
  const reads = snapshotReads(registry)
  const sessionAt = (constraint: string) => (replicas ? db.withSession?.(constraint) : undefined)
  const kept = held(
    async () => {
      const run = connect(sessionAt('first-unconstrained') ?? db, newUsage(), {
        metered: false,
        deadlineMs,
      })
      return snapshotOf(reads, await runReads(run, reads.map(bind)))
    },
    { fresh: keeping.fresh, patience: deadlineMs + keeping.grace, waitUntil },
  )

  const storeOn = (run: Connection): Store => ({
    read: (reads) => guarded(() => readAll(registry, kept, run, bind, reads)),
    write: (edits, key) =>
      guarded(() => writeEdits({ registry, run, cipher, bind, quotas }, edits, key), unknown),
  })
  const storeOnce = (): Store => storeOn(connect(db, newUsage(), options))
  return {
    read: (reads) => storeOnce().read(reads),
    write: (edits, key) => storeOnce().write(edits, key),
    async begin({ bookmark, writes, caller }) {
      const usage = newUsage()
      // A write begins at the newest state, so that what it tells of a refusal is the newest too.
      const constraint = writes ? 'first-primary' : await bookmarks?.newest(caller, bookmark)
      const session = sessionAt(constraint ?? 'first-unconstrained')
      const store = storeOn(connect(session ?? db, usage, options))
      const state = (): string | null => session?.getBookmark() ?? null
      return {
        ...store,
        async write(edits, key) {
          const outcome = await store.write(edits, key)
          bookmarks?.remember(caller, state())
          return outcome
        },
        usage,
        bookmark: async () => (await bookmarks?.write(state())) ?? null,
      }
    },
  }
}

/** Answers reads of kept types from memory, and the others in one round trip. */
async function readAll(
  registry: StoredRegistry,
  kept: () => Snapshot | Promise<Snapshot>,
  run: Connection,
  bind: (read: Read) => BoundRead,
  reads: readonly [Read, ...Read[]],
): Promise<[Found, ...Found[]]> {
  const isKept = ({ plan }: Read): boolean => registry.get(plan.type).stored.kept === true
  const asked = reads.map((read) => (isKept(read) ? membersRead(registry, read) : read))
  const stored = asked.filter((read) => read !== undefined)
  const needsKept =
    reads.some(isKept) || reads.some((read) => edgesOf(registry, read.plan, true).length > 0)
  const [snapshot, found] = await Promise.all([
    needsKept ? kept() : new Map(),
    runReads(run, stored.map(bind)),
  ])
  const answers = found[Symbol.iterator]()
  const [first, ...rest] = reads.map((read, index) => {
    const answer: Found | undefined = asked[index] && answers.next().value
    if (!answer) {
      return readKept(registry, snapshot, read)
    }
    return isKept(read)
      ? keptMembers(snapshot, read, answer)
      : withKept(registry, snapshot, read, answer)
  })
  return [first as Found, ...rest]
}

/** Adds the targets that come along from memory. */
function withKept(registry: StoredRegistry, snapshot: Snapshot, read: Read, found: Found): Found {
  const kept = edgesOf(registry, read.plan, true)
  if (kept.length === 0) {
    return found
  }
  const related = kept.flatMap(({ relationship, target }) => {
    const members =
      read.plan.from.kind === 'linkage'
        ? found.members
        : found.records.flatMap(({ linkage }) => linkage[relationship]?.members ?? [])
    return recordsOf(snapshot, target, new Set(members.map(({ id }) => id)))
  })
  return { ...found, related: [...found.related, ...related] }
}

const unavailable = 'The request cannot be served at the moment.'

/** What a caller is told about a write whose answer from D1 is missing. */
const unknown = `${unavailable} Whether the change was made is not known.`

/**
 * A failure of the database is a 500 that asks to come back; the cause goes to the log only.
 *
 * @param late what the caller is told where D1 has not answered in time, or an answer was lost for good
 */
async function guarded<Value>(run: () => Promise<Value>, late = unavailable): Promise<Value> {
  try {
    return await run()
  } catch (cause) {
    const isUnknown = cause instanceof DatabaseDeadline || cause instanceof UnknownOutcome
    const detail = isUnknown ? late : unavailable
    throw new ApiError(
      [{ code: 'INTERNAL_SERVER_ERROR', detail }],
      { 'Retry-After': '1' },
      { cause },
    )
  }
}
