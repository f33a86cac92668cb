import { and, asc, eq, exists, gt, inArray, lte, not } from 'drizzle-orm'
import type { Connection, Database, Rows } from '#engine'
import type { IdempotencyKey } from '../jsonapi/idempotency.ts'
import type { Edit } from '../jsonapi/run/store.ts'
import { idempotencyKeys } from './schema.ts'
import type { Once } from './write.ts'

/** Milliseconds for which a key stands for what was created with it. */
export const keyLifetime = 24 * 60 * 60_000

const { name, fingerprint, created, at } = idempotencyKeys

/** Lets edits be made once for a key: it is stored in their transaction, and a younger one that is stored refuses them. */
export function onceFor(db: Database, key: IdempotencyKey, edits: readonly Edit[]): Once {
  const now = Date.now()
  const ids = edits.flatMap(({ change }) => (change.kind === 'create' ? [change.id] : []))
  const stored = db
    .select({ fingerprint, created })
    .from(idempotencyKeys)
    .where(and(eq(name, key.name), gt(at, now - keyLifetime)))
  return {
    condition: not(exists(stored)),
    statements: [
      db.delete(idempotencyKeys).where(and(eq(name, key.name), lte(at, now - keyLifetime))),
      // An id holds no comma.
      db
        .insert(idempotencyKeys)
        .values({ name: key.name, fingerprint: key.fingerprint, created: ids.join(), at: now }),
    ],
    question: stored,
    used: ([row]: Rows) =>
      row && {
        kind: 'used',
        fingerprint: String(row.fingerprint),
        created: row.created === '' ? [] : String(row.created).split(','),
      },
  }
}

/** What a scheduled run has removed. `left`: there may be more keys that are too old, which the next run removes. */
export interface Removed {
  readonly removed: number
  readonly steps: number
  readonly left: boolean
}

/**
 * Removes keys that are older than 24 hours, the oldest first, in bounded steps, so that no request waits long for them. Each step is
 * a transaction of its own.
 *
 * @param connect makes the connection of a step
 * @param bounds how many steps, and how many keys in each of them. A run on the free plan may send 50 statements
 * @throws Error when the database fails, or does not answer a step in time
 */
export async function removeOldKeys(
  connect: () => Connection,
  bounds = { steps: 40, keys: 1_000 },
): Promise<Removed> {
  let removed = 0
  for (let steps = 1; ; steps++) {
    const connection = connect()
    const rows = await removeSome(connection, bounds.keys).finally(() => connection.close())
    removed += rows.length
    const left = rows.length === bounds.keys
    if (!left || steps === bounds.steps) {
      return { removed, steps, left }
    }
  }
}

function removeSome({ db, call }: Connection, limit: number): Promise<Rows> {
  const isOld = lte(at, Date.now() - keyLifetime)
  const oldest = db
    .select({ name })
    .from(idempotencyKeys)
    .where(isOld)
    .orderBy(asc(at))
    .limit(limit)
  // PostgreSQL waits for a key that is stored anew at the same time, and then looks at the last condition alone.
  return call(() =>
    db
      .delete(idempotencyKeys)
      .where(and(inArray(name, oldest), isOld))
      .returning({ name })
      .execute(),
  )
}
