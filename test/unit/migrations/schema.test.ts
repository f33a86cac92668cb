import { is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, it } from 'vitest'
import { recounts } from '../../../scripts/operate/counters.ts'
import * as shared from '../../../src/db/counters.ts'
import * as keys from '../../../src/idempotency/stored-keys.ts'
import * as countries from '../../../src/resources/countries.ts'
import * as currencies from '../../../src/resources/currencies.ts'
import * as users from '../../../src/resources/users.ts'
import { textOf } from '../../support/databases.ts'
import { addUser, migratedDatabase, rowsOf, singleValue } from './database.ts'

describe('the migrated tables', () => {
  const database = migratedDatabase()
  const tables = [shared, keys, countries, currencies, users]
    .flatMap((file): unknown[] => Object.values(file))
    .filter((value) => is(value, SQLiteTable))
    .map(getTableConfig)

  it.each(tables)('include $name as the service declares it', ({ name, ...declared }) => {
    const columns = rowsOf(database, `PRAGMA table_info(${name})`)
    const made = columns.map(({ name, type, notnull }) => [
      name,
      String(type).toLowerCase(),
      notnull === 1,
    ])
    expect(new Set(made)).toEqual(
      new Set(declared.columns.map((each) => [each.name, each.getSQLType(), each.notNull])),
    )
    const indexes = rowsOf(database, `PRAGMA index_list(${name})`).filter(
      ({ origin }) => origin === 'c',
    )
    expect(new Map(indexes.map((index) => [index.name, index.unique === 1]))).toEqual(
      new Map(declared.indexes.map(({ config }) => [config.name, config.unique])),
    )
    const keys = rowsOf(database, `PRAGMA foreign_key_list(${name})`)
    expect(new Map(keys.map((key) => [key.from, [key.table, key.on_delete]]))).toEqual(
      new Map(
        declared.foreignKeys.map((key) => {
          const { columns, foreignTable } = key.reference()
          const onDelete = key.onDelete ?? 'no action'
          return [columns[0]?.name, [getTableConfig(foreignTable).name, onDelete.toUpperCase()]]
        }),
      ),
    )
  })
})

it('the counter of users is set right by one statement, whatever it says, and where it is missing', () => {
  const database = migratedDatabase()
  addUser(database, 'a', 'owner')
  addUser(database, 'b', 'owner')
  expect(recounts).toHaveLength(1)
  for (const wrong of ['UPDATE counters SET value = -7', 'DELETE FROM counters']) {
    database.exec(wrong)
    for (const [sql, ...values] of recounts.map(textOf)) {
      database.prepare(sql).run(...values)
    }
    expect(singleValue(database, "SELECT value FROM counters WHERE name = 'users'")).toBe(2)
  }
})
