const isPostgres = process.env.DIALECT === 'postgresql'

/**
 * How the next migration is made: change a table in `src/resources`, run `npm run migration <what_changes>`, and read
 * the files that it writes to `migrations/` and `migrations/postgres`. drizzle-kit compares with `meta` beside them: commit it, never edit it.
 *
 * Drizzle has no words for SQLite's `WITHOUT ROWID`. Add it by hand where a migration makes a new table that needs it (see
 * `migrations/0001_schema.sql`).
 */
export default {
  dialect: isPostgres ? 'postgresql' : 'sqlite',
  schema: ['./src/resources/*.ts', './src/db/counters.ts', './src/idempotency/stored-keys.ts'],
  out: isPostgres ? './migrations/postgres' : './migrations',
  breakpoints: false,
}
