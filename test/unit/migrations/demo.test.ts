import { describe, expect, it } from 'vitest'
import { demoStatements } from '../../../scripts/start/demo.ts'
import { letters } from '../../../src/jsonapi/declare/resource.ts'
import { addUsers, migratedDatabase, rowsOf, singleValue } from './database.ts'

const encrypt = async (userId: string, cardNumber: string): Promise<string> =>
  `sealed for '${userId}': ${cardNumber.length}`

async function demoDatabase() {
  const database = migratedDatabase()
  for (const sql of await demoStatements(encrypt)) {
    database.exec(sql)
  }
  return database
}

describe('the demo people', async () => {
  const database = await demoDatabase()
  const users = rowsOf(database, 'SELECT * FROM users')

  it('have keys as the service writes them, beyond ASCII too', () => {
    for (const { full_name, full_name_key, email, email_key } of users) {
      expect(full_name_key).toBe(letters(String(full_name)))
      expect(email_key).toBe(String(email).toLowerCase())
    }
    expect(users.some(({ full_name }) => /[^\0-\x7f]/.test(String(full_name)))).toBe(true)
  })
})

describe('loading the demo people', () => {
  it('changes nothing the second time, even where the encrypted cards differ', async () => {
    const database = await demoDatabase()
    const before = ['users', 'user_citizenships', 'user_relatives', 'counters'].map((table) =>
      rowsOf(database, `SELECT * FROM ${table}`),
    )
    for (const sql of await demoStatements(async () => 'other')) {
      database.exec(sql)
    }
    const after = ['users', 'user_citizenships', 'user_relatives', 'counters'].map((table) =>
      rowsOf(database, `SELECT * FROM ${table}`),
    )
    expect(after).toEqual(before)
  })

  it('counts those who came, and not those who were there already', async () => {
    const database = await demoDatabase()
    database.exec("DELETE FROM users WHERE id IN ('2', '4'); UPDATE counters SET value = value - 2")
    addUsers(database, 'somebody')
    database.exec('UPDATE counters SET value = value + 1')
    for (const sql of await demoStatements(encrypt)) {
      database.exec(sql)
    }
    expect(singleValue(database, "SELECT value FROM counters WHERE name = 'users'")).toBe(50)
    expect(singleValue(database, 'SELECT count(*) FROM users')).toBe(50)
  })
})
