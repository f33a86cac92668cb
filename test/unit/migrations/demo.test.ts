import type { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { demoStatements } from '../../../scripts/start/demo.ts'
import { sortKey } from '../../../src/db/stored.ts'
import { textOf } from '../../support/databases.ts'
import { addUser, migratedDatabase, rowsOf, singleValue } from './database.ts'

/** Loads the demo people. */
async function load(database: DatabaseSync, card = 'sealed'): Promise<DatabaseSync> {
  for (const [sql, ...values] of (await demoStatements(async () => card)).map(textOf)) {
    database.prepare(sql).run(...values)
  }
  return database
}

it('the demo people have keys as the service writes them, beyond ASCII too', async () => {
  const users = rowsOf(await load(migratedDatabase()), 'SELECT * FROM users')
  for (const { full_name, full_name_key, email, email_key } of users) {
    expect(full_name_key).toBe(sortKey(String(full_name)))
    expect(email_key).toBe(String(email).toLowerCase())
  }
  expect(users.some(({ full_name }) => /[^\0-\x7f]/.test(String(full_name)))).toBe(true)
})

it('loading the demo people again changes nothing, even where the encrypted cards differ, and counts those who come', async () => {
  const database = await load(migratedDatabase())
  const all = () =>
    ['users', 'user_citizenships', 'user_relatives', 'counters'].map((table) =>
      rowsOf(database, `SELECT * FROM ${table}`),
    )
  const before = all()
  await load(database, 'other')
  expect(all()).toEqual(before)
  database.exec("DELETE FROM users WHERE id IN ('2', '4')")
  addUser(database, 'somebody', 'owner')
  database.exec('UPDATE counters SET value = value - 1')
  await load(database)
  expect(singleValue(database, "SELECT value FROM counters WHERE name = 'users'")).toBe(50)
  expect(singleValue(database, 'SELECT count(*) FROM users')).toBe(50)
})
