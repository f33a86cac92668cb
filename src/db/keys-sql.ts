import { sql } from 'drizzle-orm'
import type { IdempotencyKey } from '../jsonapi/run/idempotency.ts'
import type { Outcome } from '../jsonapi/run/store.ts'
import { lazy } from '../lib/lazy.ts'
import { messageOf } from './retry.ts'
import { idempotencyKeys } from './schema.ts'
import { type Bound, bare, bind, compile, nameOf, param } from './statement.ts'

/** Milliseconds for which a key stands for what was created with it (contract, section 12). */
export const keyLifetime = 24 * 60 * 60_000

const { name, fingerprint, created, at } = idempotencyKeys

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
 * Stores a key, and replaces one that is too old. Where a younger row has the key, the transaction fails: `json_extract` fails
 * for a path that does not begin with `$`, and its message repeats the path. The path holds the row of the other request, so
 * that the failure brings it back without another read.
 */
const storeKey = lazy(() =>
  compile<KeyValues>(sql`INSERT INTO ${nameOf(idempotencyKeys)}
  (${bare(name)}, ${bare(fingerprint)}, ${bare(created)}, ${bare(at)})
  VALUES (${param<KeyValues>('name')}, ${param<KeyValues>('fingerprint')},
    ${param<KeyValues>('created')}, ${param<KeyValues>('now')})
  ON CONFLICT (${bare(name)}) DO UPDATE SET
    ${bare(fingerprint)} = excluded.${bare(fingerprint)},
    ${bare(created)} = excluded.${bare(created)},
    ${bare(at)} = CASE WHEN ${bare(at)} <= ${param<KeyValues>('tooOld')} THEN excluded.${bare(at)}
      ELSE json_extract('{}', ${sql.raw(`'${mark} '`)} || ${bare(fingerprint)} || ' ' || ${bare(created)} || ' ') END`),
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

/** The values of {@link removeKeys}. */
interface RemovalValues {
  readonly tooOld: number
  readonly most: number
}

const removeKeys = lazy(() =>
  compile<RemovalValues>(sql`DELETE FROM ${nameOf(idempotencyKeys)}
  WHERE ${bare(name)} IN (SELECT ${bare(name)} FROM ${nameOf(idempotencyKeys)}
    WHERE ${bare(at)} <= ${param<RemovalValues>('tooOld')}
    ORDER BY ${bare(at)} LIMIT ${param<RemovalValues>('most')})
  RETURNING 1`),
)

/** Removes keys that are too old, the oldest first and at most `most`. It returns a row for each key that it removes. */
export function removalStatement(most: number): Bound {
  return bind(removeKeys(), { tooOld: Date.now() - keyLifetime, most })
}
