import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Rows of a table, kept by triggers, so that a total costs one row instead of a scan. */
export const counters = sqliteTable('counters', {
  name: text('name').primaryKey(),
  value: integer('value').notNull(),
})

/**
 * What was created by requests with an `Idempotency-Key` (contract, section 12). A row tells neither the caller nor the key nor the
 * request: it holds hashes of them.
 */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    /** A hash of the caller and its key together. */
    name: text('name').primaryKey(),
    /** A keyed hash of path, query and body. */
    fingerprint: text('fingerprint').notNull(),
    /** The ids of what was created, in the order of the request, with commas between them. */
    created: text('created').notNull(),
    /** When: milliseconds since the epoch. It takes no null: see `keys-sql.ts`. */
    at: integer('at').notNull(),
  },
  // The scheduled run removes the oldest.
  (table) => [index('idempotency_keys_at').on(table.at)],
)
