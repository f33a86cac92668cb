import { type Connection, type Opened, runAll } from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { ApiError } from '../jsonapi/problems.ts'
import type { Guard, Read, SessionStore } from '../jsonapi/run/port.ts'
import type { Cipher } from '../lib/key-ring.ts'
import type { GuardParts } from './apply.ts'
import type { Quotas } from './conditions.ts'
import { prepare } from './read.ts'
import { type LoadOptions, withReferenceData } from './reference.ts'
import { unknownOutcome, WriteFailed, writeAll } from './write.ts'

/** What a store is made of. */
export interface StoreOptions extends Omit<LoadOptions, 'patience'> {
  readonly database: Pick<Opened, 'connect'>
  readonly registry: Registry
  readonly cipher: Cipher
  readonly quotas: Quotas
  /** Milliseconds that one call of the database may take. */
  readonly deadlineMs: number
}

/** Makes the store. Do so once per isolate: it keeps prepared statements and the reference data. */
export function createStore(options: StoreOptions): SessionStore {
  const { database, registry, cipher, quotas, waitUntil, onStale } = options
  const { deadlineMs } = options
  /** Runs reads in one round trip. */
  const readOn = async (connection: Connection, reads: readonly Read[]) => {
    const { statements, foundIn } = prepare(registry, cipher, reads)
    return foundIn(await runAll(connection, statements))
  }
  const readAny = withReferenceData(
    registry,
    async (reads) => {
      const connection = database.connect({ writes: false })
      return readOn(connection, reads).finally(connection.close)
    },
    // Waits a little longer than the database may take, whose error says more.
    { waitUntil, onStale, patience: deadlineMs + 250 },
  )
  return {
    begin(options) {
      let connection = database.connect(options)
      const { call, pause, usage } = connection
      const close = (): void => {
        if (connection.close) {
          waitUntil(connection.close())
        }
      }
      const reconnect = (): Connection => {
        close()
        connection = { ...database.connect({ writes: true }), call, pause, usage }
        return connection
      }
      const writing = { connection, reconnect, registry, cipher, quotas }
      // What is read after a write shows what it has made. If that read fails, nobody may take the write for one that was not made.
      let isMade = false
      return {
        usage,
        bookmark: () => connection.bookmark(),
        close,
        read: (reads) =>
          readAny(reads, (stored) => readOn(connection, stored))
            .catch((cause) => (isMade ? unknownOutcome(cause) : Promise.reject(cause)))
            .catch(unavailable),
        async write(edits, guard?: Guard<GuardParts>) {
          const all = { ...writing, guard: guard?.(edits) }
          const outcome = await writeAll(all, edits).catch(unavailable)
          isMade = outcome.kind !== 'refused'
          return outcome
        },
      }
    },
  }
}

const message = 'The request cannot be served at the moment.'

/**
 * Turns a failure of the database into a 500 with `Retry-After`, which says what has become of a write.
 *
 * @throws ApiError INTERNAL_SERVER_ERROR always; the cause goes to the log only
 */
function unavailable(cause: unknown): never {
  const detail = cause instanceof WriteFailed ? `${message} ${cause.message}` : message
  throw ApiError.failure(detail, cause, 1)
}
