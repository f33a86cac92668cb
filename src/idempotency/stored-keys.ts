import { and, asc, eq, exists, gt, inArray, lte, not } from 'drizzle-orm'
import { bigint, index, table, text } from '#columns'
import { type Connection, db, type Query, type Rows, runAll } from '#engine'
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
    at: bigint('at').notNull(),
  },
  // The scheduled run removes the oldest rows first.
  (table) => [index('idempotency_keys_at').on(table.at)],
)

/** Milliseconds for which a key stands for what was created with it. */
export const keyLifetime = 24 * 60 * 60_000

const { name, fingerprint, created, at } = idempotencyKeys

/**
 * Lets edits be made once for a key: it is stored in their transaction, and a younger one that is stored ends them.
 *
 * @param key.name another text for another caller or key
 * @param key.fingerprint tells whether a later request is the same
 */
export function onceFor(key: { readonly name: string; readonly fingerprint: string }): Guard {
  const now = Date.now()
  const isKey = eq(name, key.name)
  const question = db
    .select({ fingerprint, created })
    .from(idempotencyKeys)
    .where(and(isKey, gt(at, now - keyLifetime)))
  const used = ([row]: Rows): Outcome | undefined =>
    row && {
      kind: 'used',
      fingerprint: String(row[0]),
      created: String(row[1]).split(',').filter(Boolean),
    }
  return {
    of(edits) {
      const ids = edits.flatMap(({ kind, id }) => (kind === 'create' ? [id] : []))
      const queries: Query[] = [
        db.delete(idempotencyKeys).where(and(isKey, lte(at, now - keyLifetime))),
        // An id holds no comma.
        db.insert(idempotencyKeys).values({ ...key, created: ids.join(), at: now }),
      ]
      return { condition: not(exists(question)), queries, question, used }
    },
  }
}

/**
 * Removes keys that are older than 24 hours, the oldest first. Each step is a short transaction, so that no request waits long for it.
 *
 * @param connect makes the connection of a step
 * @param bounds the number of steps, and of keys in each step. A run on the free plan may send 50 statements
 * @returns `left`: there may be more keys that are too old, which the next run removes
 * @throws Error when the database fails, or does not answer a step in time
 */
export async function removeOldKeys(
  connect: () => Connection,
  bounds = { steps: 40, keys: 1_000 },
): Promise<{ readonly removed: number; readonly steps: number; readonly left: boolean }> {
  let removed = 0
  for (let steps = 1; ; steps++) {
    const connection = connect()
    const isOld = lte(at, Date.now() - keyLifetime)
    const oldest = db.select({ name }).from(idempotencyKeys).where(isOld).orderBy(asc(at))
    // PostgreSQL waits for a key that is stored anew at the same time, and then looks at the last condition alone.
    const some = and(inArray(name, oldest.limit(bounds.keys)), isOld)
    const removal = db.delete(idempotencyKeys).where(some).returning({ name })
    const all = await runAll(connection, [removal.toSQL()]).finally(connection.close)
    const gone = all[0]?.length ?? 0
    removed += gone
    const left = gone === bounds.keys
    if (!left || steps === bounds.steps) {
      return { removed, steps, left }
    }
  }
}
