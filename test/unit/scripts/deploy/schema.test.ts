import { describe, expect, it } from 'vitest'
import { differences, expectedSchema, schemaOf } from '../../../../scripts/deploy/schema.ts'
import { paths } from '../../../../scripts/lib/config.ts'
import { storedObjects } from './cloudflare.ts'

const expected = expectedSchema(paths.migrations)

/** The differences of a database in which all migrations were applied, and then some SQL was run. */
function after(sql: string): readonly string[] {
  return differences(expected, schemaOf(storedObjects(sql)))
}

describe('The comparison of a database with what the migrations make', () => {
  it.each([
    ['what D1 makes for itself', 'CREATE TABLE _cf_KV (key TEXT PRIMARY KEY) WITHOUT ROWID'],
    ['what SQLite makes for itself', 'ANALYZE users'],
    [
      'other white space, quotation marks and capital letters',
      'DROP INDEX users_owner; create  index "users_owner"\n on users( `owner` )',
    ],
  ])('lets pass %s', (_, sql) => {
    expect(after(sql)).toEqual([])
  })

  it.each([
    [
      "DELETE FROM d1_migrations WHERE name = '0004_idempotency_keys.sql'",
      'migration 0004_idempotency_keys.sql is missing, and should be applied',
    ],
    [
      "INSERT INTO d1_migrations (name) VALUES ('0099_planets.sql')",
      'migration 0099_planets.sql is applied, and should be missing',
    ],
    [
      'ALTER TABLE users DROP COLUMN revision',
      expect.stringMatching(/^table users is [^.]+, and should be create table [^.]+revision/),
    ],
    [
      'DROP INDEX users_email; CREATE INDEX users_email ON users (email_key)',
      'index users_email is create index users_email on users(email_key), and should be create unique index users_email on users(email_key)',
    ],
  ])('names the difference that is made by %s', (sql, difference) => {
    expect(after(sql)).toContainEqual(difference)
  })
})
