/**
 * How the next migration is made: change a table in `src/resources`, run `npm run migration <what_changes>`, and read
 * the file that it writes to `migrations/`. drizzle-kit compares with `migrations/meta`: commit it, never edit it.
 *
 * Drizzle has no words for `WITHOUT ROWID`. Add it by hand where a migration makes a new table that needs it (see
 * `migrations/0001_schema.sql`), and the row of a counter, too.
 */
export default {
  dialect: 'sqlite',
  schema: ['./src/resources/*.ts', './src/db/schema.ts', './src/idempotency/stored-keys.ts'],
  out: './migrations',
  breakpoints: false,
}
