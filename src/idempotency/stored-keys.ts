import { and, asc, eq, exists, gt, inArray, lte, not, sql } from 'drizzle-orm'
import { index, integer, table, text } from '#columns'
import { db, type Opened, type Query, type Rows, runAll } from '#engine'
import type { GuardParts } from '../db/apply.ts'
import { log } from '../http/log.ts'
import type { Guard, Outcome } from '../jsonapi/run/port.ts'

/**
 * Requests with an `Idempotency-Key` that have written, and what they created. Caller, key and request
 * are stored as hashes only.
 */
export const idempotencyKeys = table(
  'idempotency_keys',
  {
    /** A hash of the caller and its key together. */
    name: text('name').primaryKey(),
    /** A keyed hash of path, query and body. */
    fingerprint: text('fingerprint').notNull(),
    /** The ids of what was created, in the order of the request, with commas between them. */
    created: text('created').notNull(),
    /** When the key was stored, in milliseconds since the epoch. */
    at: integer('at').notNull(),
  },
  // The scheduled run removes the oldest rows first.
  (table) => [index('idempotency_keys_at').on(table.at)],
)

/** Milliseconds until a key can be used again. */
export const keyLifetime = 24 * 60 * 60_000

const { name, fingerprint, created, at } = idempotencyKeys

/**
 * Lets edits be made only once for a key. Their transaction stores the key. Nothing is written if it was stored less than 24 hours ago.
 *
 * @param key its name is a text that no other caller or key has; its fingerprint shows whether a later request is the same
 */
export function onceFor(
  key: Pick<typeof idempotencyKeys.$inferSelect, 'name' | 'fingerprint'>,
): Guard<GuardParts> {
  const now = Date.now()
  const isKey = eq(name, key.name)
  const question = db
    .select({ fingerprint, created })
    .from(idempotencyKeys)
    .where(and(isKey, gt(at, now - keyLifetime)))
  return (edits) => {
    const ids = edits.flatMap(({ kind, id }) => (kind === 'create' ? [id] : []))
    const queries: Query[] = [
      db.delete(idempotencyKeys).where(and(isKey, lte(at, now - keyLifetime))),
      // An id holds no comma.
      db.insert(idempotencyKeys).values({ ...key, created: ids.join(), at: now }),
    ]
    return { condition: not(exists(question)), queries, question, used: outcomeOf }
  }
}

/** The outcome of a write whose key is stored. */
function outcomeOf([row]: Rows): Outcome | undefined {
  const [fingerprint = '', created = ''] = row?.map(String) ?? []
  return row && { kind: 'used', fingerprint, created: created.split(',').filter(Boolean) }
}

/**
 * Removes keys that are older than 24 hours, the oldest first, until none is left or its bound is reached. Logs how many, and how large the
 * database is. Nothing is removed while writes are refused.
 *
 * @param batch how many keys one statement removes, so that no request waits long for it
 * @param batches how many statements one run sends at most
 * @throws Error if the database fails, so that the platform's list of runs shows it
 */
export async function removeOldKeys(
  database: Opened,
  readOnly: boolean,
  batch = 5_000,
  batches = 60,
): Promise<void> {
  if (readOnly) {
    log({ level: 'info', event: 'old keys kept', cause: 'READ_ONLY is set' })
    return
  }
  const start = Date.now()
  const isOld = lte(at, start - keyLifetime)
  const oldest = db.select({ name }).from(idempotencyKeys).where(isOld).orderBy(asc(at))
  // PostgreSQL waits for a key that is stored anew at the same time, and then looks only at the last condition.
  const some = and(inArray(name, oldest.limit(batch)), isOld)
  // A row for each key, as small as a row can be.
  const removal = db.delete(idempotencyKeys).where(some).returning({ one: sql`1` }).toSQL()
  let removed = 0
  let left = true
  for (let sent = 0; left && sent < batches; sent++) {
    const connection = database.connect({ writes: true })
    const [gone = []] = await runAll(connection, [removal]).finally(connection.close)
    removed += gone.length
    left = gone.length === batch
  }
  const bytes = await database.size()
  log({ level: 'info', event: 'old keys removed', removed, left, bytes, ms: Date.now() - start })
}
