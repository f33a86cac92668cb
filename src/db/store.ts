import type { Registry } from '../jsonapi/declare/registry.ts'
import { ApiError } from '../jsonapi/errors.ts'
import type { Found, Read, Session, SessionStore, Usage } from '../jsonapi/run/store.ts'
import { refreshing } from '../lib/refreshing.ts'
import type { Cipher } from './cipher.ts'
import {
  type Connection,
  type ConnectionOptions,
  connect,
  DatabaseDeadline,
  NotSent,
  newUsage,
} from './connection.ts'
import { editBinder, type Quotas } from './edit.ts'
import { type BoundRead, readBinder, runReads } from './read.ts'
import { UnknownOutcome } from './retry.ts'
import {
  membersRead,
  readSnapshot,
  relatedPage,
  type Snapshot,
  snapshotOf,
  snapshotReads,
  withRelated,
} from './snapshot.ts'
import type { Database } from './statement.ts'
import { writeEdits } from './write.ts'

/** What a store is made of, whatever its database. */
export interface StoreOptions {
  readonly registry: Registry
  readonly cipher: Cipher
  readonly waitUntil: (promise: Promise<unknown>) => void
  readonly quotas: Quotas
  /** Milliseconds that one call of the database may take (contract, section 14). */
  readonly deadlineMs: number
}

/** What a store on D1 is made of. */
export interface D1StoreOptions extends StoreOptions, ConnectionOptions {
  readonly db: Database & Partial<Pick<D1Database, 'withSession'>>
  /** Do reads go to replicas, in sessions? A session costs time even where there are no replicas. */
  readonly replicated: boolean
}

/**
 * Milliseconds for which a snapshot is fresh, after which a first load that has not ended is begun again beside it, and that
 * requests wait for a load beyond the deadline of the database.
 */
const snapshotTimes = { fresh: 5 * 60_000, hedge: 500, grace: 250 }

/** Reads and writes over the connection of a request. */
type Open = (run: Connection, usage: Usage) => Omit<Session, 'bookmark'>

/**
 * Makes what stores have in common, whatever their database. Do so once per isolate: it keeps compiled statements and the snapshot
 * of reference data.
 *
 * One call of `read` is at most one round trip, and none where the snapshot holds everything. One call of `write` is one
 * round trip where nothing is refused and nothing fails. A call that reaches its deadline fails (contract, section 14).
 *
 * @param load runs the reads of the snapshot
 */
export function createStore(
  { registry, cipher, waitUntil, quotas, deadlineMs }: StoreOptions,
  load: Connection,
): Open {
  const bindRead = readBinder(registry, cipher)
  const bindEdits = editBinder({ registry, cipher, quotas, bindRead })
  const reads = snapshotReads(registry)
  const snapshot = refreshing(
    async () => snapshotOf(reads, await runReads(load, reads.map(bindRead))),
    {
      fresh: snapshotTimes.fresh,
      hedge: snapshotTimes.hedge,
      patience: deadlineMs + snapshotTimes.grace,
      waitUntil,
    },
  )
  return (run, usage) => ({
    read: (reads) => readAll(registry, snapshot, run, bindRead, reads).catch(unserved(unavailable)),
    write: (edits, key) =>
      writeEdits({ run, usage, bindEdits, quotas }, edits, key).catch(unserved(unknown)),
    usage,
  })
}

/** A store on D1. A session reads from the nearest replica that is as new as the bookmark of its request. */
export function d1Store(options: D1StoreOptions): SessionStore {
  const { db, replicated } = options
  const sessionAt = (constraint: string) => (replicated ? db.withSession?.(constraint) : undefined)
  const open = createStore(options, (statements) => {
    return connect(sessionAt('first-unconstrained') ?? db, newUsage(), options)(statements)
  })
  return {
    begin({ bookmark = 'first-unconstrained', writes }) {
      const usage = newUsage()
      // A write begins at the primary, so that the reason of a refusal is true of the newest state.
      const session = sessionAt(writes ? 'first-primary' : bookmark)
      return {
        ...open(connect(session ?? db, usage, options), usage),
        bookmark: () => session?.getBookmark() ?? null,
      }
    },
  }
}

/** Answers reads of types in the snapshot from memory, and all other reads in one round trip. */
async function readAll(
  registry: Registry,
  snapshotNow: () => Snapshot | Promise<Snapshot>,
  run: Connection,
  bindRead: (read: Read) => BoundRead,
  reads: readonly [Read, ...Read[]],
): Promise<[Found, ...Found[]]> {
  // Related resources that are in memory are found by the members of the relationship, which may be in the database.
  const isInMemory = (type: string): boolean => registry.get(type).snapshot === true
  const steps = reads.map((read) => ({
    read,
    step: (isInMemory(read.type) && membersRead(read)) || read,
    isRelated: read.alongside.some(({ target }) => isInMemory(target)),
  }))
  const stored = steps.filter(({ step }) => !isInMemory(step.type))
  const needsSnapshot = steps.some(({ read, isRelated }) => isRelated || isInMemory(read.type))
  const reading = runReads(
    run,
    stored.map(({ step }) => bindRead(step)),
  )
  const [snapshot, found] = needsSnapshot
    ? await Promise.all([snapshotNow(), reading])
    : [noSnapshot, await reading]
  const answers = found.values()
  const [first, ...rest] = steps.map(({ read, step, isRelated }) => {
    const primary = isInMemory(step.type)
      ? readSnapshot(registry, snapshot, step)
      : (answers.next().value as Found)
    const shown = step === read ? primary : relatedPage(snapshot, read, primary)
    return isRelated ? withRelated(registry, snapshot, read, shown) : shown
  })
  return [first as Found, ...rest]
}

const noSnapshot: Snapshot = new Map()

const unavailable = 'The request cannot be served at the moment.'

/** The detail of the error where a write was sent to the database and its answer is missing. */
const unknown = `${unavailable} Whether the change was made is not known.`

/**
 * Gives the function that turns a failure of the database into a 500 with `Retry-After`: it throws ApiError
 * INTERNAL_SERVER_ERROR. The cause goes to the log only.
 *
 * @param late the detail of the error where the database has not answered in time what was sent, or an answer was lost
 */
function unserved(late: string): (cause: unknown) => never {
  return (cause) => {
    const isLate = cause instanceof DatabaseDeadline && !(cause instanceof NotSent)
    const isUnknown = isLate || cause instanceof UnknownOutcome
    throw ApiError.failure(isUnknown ? late : unavailable, cause, 1)
  }
}
