import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { forPostgres, migrationDifferences } from '../../../../scripts/data/migrations.ts'
import { paths } from '../../../../scripts/lib/config.ts'

it('The migrations of D1 and of PostgreSQL make the same columns, keys, indexes and references', () => {
  const advice = 'npm run migration prints what to write to migrations/postgres'
  expect(migrationDifferences(), advice).toEqual([])
})

it('The migrations of D1 and of PostgreSQL fill in the same reference data', () => {
  const [d1, postgres] = [paths.migrations, paths.postgresMigrations].map((folder) =>
    readFileSync(join(folder, '0002_reference_data.sql'), 'utf8'),
  )
  expect(postgres).toBe(d1)
})

it('Whatever only one of two folders of migrations makes is told', () => {
  const common = 'CREATE TABLE b (id text PRIMARY KEY);'
  const [d1, postgres] = [
    `${common} CREATE TABLE a (x text NOT NULL, y text REFERENCES b (id), t integer DEFAULT 0, u integer DEFAULT 1); CREATE INDEX i ON a (x DESC, y);`,
    `${common} CREATE TABLE a (x text, y text, t timestamptz DEFAULT 'epoch', u integer DEFAULT 0); CREATE UNIQUE INDEX i ON a (x, y);`,
  ].map((sql) => {
    const folder = mkdtempSync(join(tmpdir(), 'migrations-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, '1.sql'), sql)
    return folder
  })
  expect(migrationDifferences(d1, postgres)).toEqual([
    'D1 lacks column a.u default 0',
    'D1 lacks column a.x',
    'D1 lacks unique index i on a (x, y)',
    'PostgreSQL lacks column a.u default 1',
    'PostgreSQL lacks column a.x not null',
    'PostgreSQL lacks index i on a (x desc, y)',
    'PostgreSQL lacks reference from a.y to b.id on delete no action',
  ])
})

it('A migration for D1 is written for PostgreSQL without what only SQLite knows', () => {
  const sql = 'CREATE TABLE `a` (\n\t`id` text PRIMARY KEY NOT NULL\n) WITHOUT ROWID;\n'
  expect(forPostgres(sql)).toBe('CREATE TABLE a (\n\tid text PRIMARY KEY NOT NULL\n);\n')
})
