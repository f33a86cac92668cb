import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { forPostgres, migrationDifferences } from '../../../../scripts/data/migrations.ts'

it('The migrations of D1 and of PostgreSQL make the same columns', () => {
  const advice = 'npm run migration prints what to write to migrations/postgres'
  expect(migrationDifferences(), advice).toEqual([])
})

it('A migration for D1 is written for PostgreSQL without what only SQLite knows', () => {
  const sql = 'CREATE TABLE `a` (\n\t`id` text PRIMARY KEY NOT NULL\n) WITHOUT ROWID;\n'
  expect(() => new DatabaseSync(':memory:').exec(sql)).not.toThrow()
  expect(forPostgres(sql)).toBe('CREATE TABLE a (\n\tid text PRIMARY KEY NOT NULL\n);\n')
})
