import { defineConfig } from 'drizzle-kit'

/**
 * How the next migration of the schema is made: change a table in `src/resources`, run
 * `npm run schema --prefix scripts/data -- --name=<what_changes>`, read the file it writes to `migrations/`.
 * `migrations/meta` is what drizzle-kit compares with; commit it, never edit it.
 *
 * Drizzle has no words for two things, to be added by hand where a table is made anew:
 * `WITHOUT ROWID` and triggers (see `migrations/0001_schema.sql`).
 */
export default defineConfig({
  dialect: 'sqlite',
  schema: ['../../src/resources/*.ts', '../../src/db/schema.ts'],
  out: '../../migrations',
  breakpoints: false,
})
