import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { failing } from '#dialect'
import type { IdempotencyKey } from '../jsonapi/run/idempotency.ts'
import type { Outcome } from '../jsonapi/run/store.ts'
import { lazy } from '../lib/kept.ts'
import { messageOf } from '../lib/messages.ts'
import type { Connection } from './connection.ts'
import { idempotencyKeys } from './schema.ts'
import { type Bound, bare, bind, compile, literal, param, tableName } from './statement.ts'

/** Milliseconds for which a key stands for what was created with it (contract, section 12). */
export const keyLifetime = 24 * 60 * 60_000

const { name, fingerprint, created, at } = idempotencyKeys

/** A column of the row that is there already. */
const stored = (column: SQLiteColumn): SQL => sql`${tableName(idempotencyKeys)}.${bare(column)}`

/** The values of {@link storeKey}. */
interface KeyValues {
  readonly name: string
  readonly fingerprint: string
  readonly created: string
  readonly now: number
  /** Milliseconds since the epoch. A row of this time, or of an earlier one, counts as absent. */
  readonly tooOld: number
}

/** The beginning of the message of the error with which {@link storeKey} ends a transaction. */
const mark = 'used key'

/**
 * Stores a key, and replaces one that is too old. Where a younger row has the key, the transaction fails. The message holds the row of
 * the other request, so that the failure brings it back without another read.
 */
const storeKey = lazy(() =>
  compile<KeyValues>(sql`INSERT INTO ${tableName(idempotencyKeys)}
  (${bare(name)}, ${bare(fingerprint)}, ${bare(created)}, ${bare(at)})
  VALUES (${param<KeyValues>('name')}, ${param<KeyValues>('fingerprint')},
    ${param<KeyValues>('created')}, ${param<KeyValues>('now')})
  ON CONFLICT (${bare(name)}) DO UPDATE SET
    ${bare(fingerprint)} = excluded.${bare(fingerprint)},
    ${bare(created)} = excluded.${bare(created)},
    ${bare(at)} = CASE WHEN ${stored(at)} <= ${param<KeyValues>('tooOld')} THEN excluded.${bare(at)}
      ELSE CAST(${failing(sql`${literal(`${mark} `)} || ${stored(fingerprint)} || ' ' || ${stored(created)} || ' '`)} AS bigint) END`),
)

/**
 * The first statement of a transaction that is carried out once for a key. Where the key is used, the transaction fails, and
 * {@link usedOf} reads the failure.
 *
 * @param ids the ids of the resources that the transaction creates; an id holds no comma and no space (see `StoredType`)
 */
export function keyStatement(key: IdempotencyKey, ids: readonly string[]): Bound {
  const now = Date.now()
  return bind(storeKey(), {
    name: key.name,
    fingerprint: key.fingerprint,
    created: ids.join(),
    now,
    tooOld: now - keyLifetime,
  })
}

const usedKey = new RegExp(`${mark} ([\\w-]+) ([\\w.~,-]*) `)

/** The outcome of a transaction whose key is used; undefined where it failed for another reason. */
export function usedOf(error: unknown): Extract<Outcome, { readonly kind: 'used' }> | undefined {
  const [, stored, ids] = usedKey.exec(messageOf(error)) ?? []
  return stored === undefined || ids === undefined
    ? undefined
    : { kind: 'used', fingerprint: stored, created: ids === '' ? [] : ids.split(',') }
}

/** Removes keys that are too old, the oldest first and at most `most`. It returns a row for each key that it removes. */
export function removalStatement(most: number): Bound {
  const values = { tooOld: Date.now() - keyLifetime, most }
  // PostgreSQL waits for a key that is stored anew at the same time, and then looks at the last condition alone.
  const statement = compile<typeof values>(sql`DELETE FROM ${tableName(idempotencyKeys)}
    WHERE ${bare(name)} IN (SELECT ${bare(name)} FROM ${tableName(idempotencyKeys)}
      WHERE ${bare(at)} <= ${param<typeof values>('tooOld')}
      ORDER BY ${bare(at)} LIMIT ${param<typeof values>('most')})
      AND ${bare(at)} <= ${param<typeof values>('tooOld')}
    RETURNING 1`)
  return bind(statement, values)
}

/**
 * Removes keys that are older than 24 hours, the oldest first (contract, section 12). The run and each of its steps are
 * bounded, so that no request waits long for them. Each step is a transaction of its own: a run that breaks off has done its
 * earlier steps. `left`: may there be more keys that are too old? The next run removes them.
 *
 * @param connect makes a connection
 * @param bounds the most steps, and the most keys of each step. A run on the free plan may send 50 statements
 * @throws Error when the database fails, or does not answer a step in time
 */
export async function removeOldKeys(
  connect: () => Connection,
  bounds = { steps: 40, keys: 1_000 },
): Promise<{ readonly removed: number; readonly steps: number; readonly left: boolean }> {
  let removed = 0
  for (let steps = 1; ; steps++) {
    // All calls of a connection share two deadlines, so that each step gets a connection of its own.
    const [rows = []] = await connect()([removalStatement(bounds.keys)])
    removed += rows.length
    const left = rows.length === bounds.keys
    if (!left || steps === bounds.steps) {
      return { removed, steps, left }
    }
  }
}
