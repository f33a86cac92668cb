import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { expect, inject, it } from 'vitest'
import { connected } from '../../scripts/postgres/client.ts'
import * as shared from '../../src/db/schema.ts'
import * as keys from '../../src/idempotency/stored-keys.ts'
import * as countries from '../../src/resources/countries.ts'
import * as currencies from '../../src/resources/currencies.ts'
import * as users from '../../src/resources/users.ts'

it('the migrated tables have the columns that the service declares', async () => {
  const client = await connected(inject('postgresUrl'))
  const tables = [shared, keys, countries, currencies, users]
    .flatMap((file): unknown[] => Object.values(file))
    .filter((value) => is(value, PgTable))
    .map(getTableConfig)
  expect(tables.length).toBeGreaterThan(5)
  for (const { name, columns } of tables) {
    const { rows } = await client.query(
      `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, attnotnull AS "notNull"
        FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0`,
      [name],
    )
    const declared = columns.map((column) => ({
      name: column.name,
      // Drizzle writes a space before a precision, and PostgreSQL does not.
      type: column.getSQLType().replace(' (', '('),
      notNull: column.notNull,
    }))
    expect(new Set(rows)).toEqual(new Set(declared))
  }
  await client.end()
})
