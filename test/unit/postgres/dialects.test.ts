import { expect, it } from 'vitest'
import * as d1Database from '../../../src/db/database.ts'
import * as d1 from '../../../src/db/dialect.ts'
import * as postgresDatabase from '../../../src/postgres/database.ts'
import * as postgres from '../../../src/postgres/dialect.ts'

it.each([
  ['dialect', d1, postgres],
  ['database', d1Database, postgresDatabase],
])('both databases have the same exports: %s', (_, one, other) => {
  const kinds = (module: object) =>
    Object.entries(module)
      .map(([name, value]) => `${name}: ${typeof value}`)
      .toSorted()
  expect(kinds(other)).toEqual(kinds(one))
})

it('number parameters from one on PostgreSQL', () => {
  expect([0, 1].map(postgres.escapeParam)).toEqual(['$1', '$2'])
})
