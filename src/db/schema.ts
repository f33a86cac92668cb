import { bigint, index, table, text } from '#columns'

/** Numbers of rows of tables. Writes count what they insert and delete, so that a total reads one row instead of a whole table. */
export const counters = table('counters', {
  name: text('name').primaryKey(),
  value: bigint('value').notNull(),
})

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
