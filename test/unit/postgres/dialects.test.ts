import { expect, it } from 'vitest'
import * as d1Database from '../../../src/db/database.ts'
import * as d1 from '../../../src/db/dialect.ts'
import * as postgresDatabase from '../../../src/postgres/database.ts'
import * as postgres from '../../../src/postgres/dialect.ts'
import { ServerError } from '../../../src/postgres/errors.ts'

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

it.each([
  ['25006', 'cannot execute INSERT in a read-only transaction'],
  ['0A000', 'cannot use serializable mode in a hot standby'],
])(
  'a write that a server refuses with %s, as it takes none, is undone and tried again',
  (code, message) => {
    const error = new ServerError(code, message)
    expect([postgres.isTransient(error), postgres.isUndone(error)]).toEqual([true, true])
  },
)

it('number parameters from one on PostgreSQL', () => {
  expect([0, 1].map(postgres.escapeParam)).toEqual(['$1', '$2'])
})
