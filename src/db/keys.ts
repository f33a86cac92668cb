import { and, asc, eq, exists, gt, inArray, lte, not } from 'drizzle-orm'
import type { Connection, Database, Query, Rows } from '#engine'
import type { IdempotencyKey } from '../jsonapi/idempotency.ts'
import type { Edit, Outcome } from '../jsonapi/run/port.ts'
import { idempotencyKeys } from './schema.ts'

/** Milliseconds for which a key stands for what was created with it. */
export const keyLifetime = 24 * 60 * 60_000

const { name, fingerprint, created, at } = idempotencyKeys

/** What lets edits be made once for a key: see {@link onceFor}. */
export type Once = ReturnType<typeof onceFor>

/** Lets edits be made once for a key: it is stored in their transaction, and a younger one that is stored refuses them. */
export function onceFor(db: Database, key: IdempotencyKey, edits: readonly Edit[]) {
  const now = Date.now()
  const isKey = eq(name, key.name)
  const ids = edits.flatMap(({ kind, id }) => (kind === 'create' ? [id] : []))
  const question = (on: Database) =>
    on
      .select({ fingerprint, created })
      .from(idempotencyKeys)
      .where(and(isKey, gt(at, now - keyLifetime)))
  const statements: Query[] = [
    db.delete(idempotencyKeys).where(and(isKey, lte(at, now - keyLifetime))),
    // An id holds no comma.
    db
      .insert(idempotencyKeys)
      .values({ name: key.name, fingerprint: key.fingerprint, created: ids.join(), at: now }),
  ]
  /** The outcome where there was an earlier write, from the answer to the question. */
  const used = ([row]: Rows): Outcome | undefined =>
    row && {
      kind: 'used',
      fingerprint: String(row.fingerprint),
      created: String(row.created).split(',').filter(Boolean),
    }
  return { condition: not(exists(question(db))), statements, question, used }
}

/**
 * Removes keys that are older than 24 hours, the oldest first, in bounded steps, so that no request waits long for them. Each step is
 * a transaction of its own.
 *
 * @param connect makes the connection of a step
 * @param bounds how many steps, and how many keys in each of them. A run on the free plan may send 50 statements
 * @returns `left`: there may be more keys that are too old, which the next run removes
 * @throws Error when the database fails, or does not answer a step in time
 */
export async function removeOldKeys(
  connect: () => Connection,
  bounds = { steps: 40, keys: 1_000 },
): Promise<{ readonly removed: number; readonly steps: number; readonly left: boolean }> {
  let removed = 0
  for (let steps = 1; ; steps++) {
    const { db, call, close } = connect()
    const isOld = lte(at, Date.now() - keyLifetime)
    const oldest = db.select({ name }).from(idempotencyKeys).where(isOld).orderBy(asc(at))
    // PostgreSQL waits for a key that is stored anew at the same time, and then looks at the last condition alone.
    const some = and(inArray(name, oldest.limit(bounds.keys)), isOld)
    const removal = db.delete(idempotencyKeys).where(some).returning({ name })
    const rows = await call(() => removal.execute()).finally(close)
    removed += rows.length
    const left = rows.length === bounds.keys
    if (!left || steps === bounds.steps) {
      return { removed, steps, left }
    }
  }
}
