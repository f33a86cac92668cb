import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { expect, inject, it } from 'vitest'
import { connected } from '../../scripts/postgres/client.ts'
import * as shared from '../../src/db/schema.ts'
import * as keys from '../../src/idempotency/stored-keys.ts'
import * as countries from '../../src/resources/countries.ts'
import * as currencies from '../../src/resources/currencies.ts'
import * as users from '../../src/resources/users.ts'

it('the migrated tables have the columns, indexes and keys that the service declares, under the names by which later migrations call them', async () => {
  const client = await connected(inject('postgresUrl'))
  const tables = [shared, keys, countries, currencies, users]
    .flatMap((file): unknown[] => Object.values(file))
    .filter((value) => is(value, PgTable))
    .map(getTableConfig)
  expect(tables.length).toBeGreaterThan(5)
  for (const { name, columns, indexes, primaryKeys, foreignKeys } of tables) {
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
    const keys = await client.query<{ name: string }>(
      "SELECT conname AS name FROM pg_constraint WHERE conrelid = $1::regclass AND contype <> 'n'",
      [name],
    )
    const pairs = [...primaryKeys, ...foreignKeys].map((key) => key.getName())
    const isPair = primaryKeys.length > 0
    expect(new Set(keys.rows.map((key) => key.name))).toEqual(
      new Set([...pairs, ...(isPair ? [] : [`${name}_pkey`])]),
    )
    const made = await client.query<{ name: string; unique: boolean }>(
      `SELECT indexrelid::regclass::text AS name, indisunique AS "unique" FROM pg_index
        WHERE indrelid = $1::regclass AND NOT indisprimary`,
      [name],
    )
    expect(new Map(made.rows.map((index) => [index.name, index.unique]))).toEqual(
      new Map(indexes.map(({ config }) => [config.name ?? '', config.unique])),
    )
  }
  await client.end()
})
