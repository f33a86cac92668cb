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
  it('finds nothing where they were applied', () => {
    expect(after('')).toEqual([])
    expect(expected.get('column users.email')).toBe('text NOT NULL')
    expect(expected.get('index users_name_desc_id')).toContain('full_name_key BINARY DESC')
  })

  it('leaves out what D1, wrangler and SQLite make for themselves', () => {
    expect(
      after('CREATE TABLE _cf_KV (key TEXT PRIMARY KEY) WITHOUT ROWID; ANALYZE users'),
    ).toEqual([])
  })

  it('takes other white space, quotation marks and letters for the same', () => {
    expect(
      after(`DROP TABLE counters; CREATE TABLE "counters" ( name TEXT not null PRIMARY KEY,
        value INTEGER NOT NULL )  without rowid;
        DROP INDEX users_owner; create index users_owner on users(owner)`),
    ).toEqual([])
  })

  it.each([
    ['a table that is missing', 'DROP TABLE user_citizenships', 'missing: table user_citizenships'],
    ['an index that is missing', 'DROP INDEX users_owner', 'missing: index users_owner'],
    [
      'a column that is missing',
      'ALTER TABLE users DROP COLUMN revision',
      'missing: column users.revision',
    ],
    [
      'a migration that is not applied',
      "DELETE FROM d1_migrations WHERE name = '0004_idempotency_keys.sql'",
      'missing: migration 0004_idempotency_keys.sql',
    ],
    [
      'a migration that is of other code',
      "INSERT INTO d1_migrations (name) VALUES ('0099_planets.sql')",
      'not of these migrations: migration 0099_planets.sql',
    ],
    [
      'a trigger',
      'CREATE TRIGGER counted AFTER INSERT ON users BEGIN SELECT 1; END',
      'not of these migrations: trigger counted',
    ],
    ['a table too many', 'CREATE TABLE notes (id text)', 'not of these migrations: table notes'],
    [
      'a virtual table',
      'CREATE VIRTUAL TABLE words USING fts5(word)',
      expect.stringContaining('table words'),
    ],
    ['a view', 'CREATE VIEW v AS SELECT 1', 'not of these migrations: view v'],
    [
      'a column too many',
      'ALTER TABLE users ADD nickname text',
      'not of these migrations: column users.nickname',
    ],
    [
      'an index of other columns',
      'DROP INDEX users_owner; CREATE INDEX users_owner ON users (owner DESC)',
      'different: index users_owner is "on users (owner BINARY DESC)" and should be "on users (owner BINARY)"',
    ],
    [
      'an index that is not unique',
      'DROP INDEX users_email; CREATE INDEX users_email ON users (email_key)',
      'different: index users_email is "on users (email_key BINARY)" and should be "UNIQUE on users (email_key BINARY)"',
    ],
    [
      'a column that may be empty',
      `DROP TABLE counters; CREATE TABLE counters (name text PRIMARY KEY NOT NULL, value integer) WITHOUT ROWID`,
      'different: column counters.value is "integer" and should be "integer NOT NULL"',
    ],
    [
      'a table with row ids',
      'DROP TABLE counters; CREATE TABLE counters (name text PRIMARY KEY NOT NULL, value integer NOT NULL)',
      'different: table counters is "with ROWID" and should be "WITHOUT ROWID"',
    ],
    [
      'a foreign key that does something else',
      `DROP TABLE user_citizenships; CREATE TABLE user_citizenships (user_id text NOT NULL REFERENCES users (id),
        country_id text NOT NULL REFERENCES countries (id), PRIMARY KEY (user_id, country_id)) WITHOUT ROWID`,
      'different: foreign key user_citizenships.user_id is "to users(id) ON UPDATE NO ACTION ON DELETE NO ACTION" and should be "to users(id) ON UPDATE NO ACTION ON DELETE CASCADE"',
    ],
  ])('names %s', (_, sql, difference) => {
    expect(after(sql)).toContainEqual(difference)
  })

  it('does not name the columns of a table that is missing or too many', () => {
    expect(after('DROP TABLE counters; CREATE TABLE notes (id text)')).toEqual([
      'missing: table counters',
      'not of these migrations: table notes',
    ])
  })
})
