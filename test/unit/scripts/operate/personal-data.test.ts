import { expect, it } from 'vitest'
import { erasePerson, personalData } from '../../../../scripts/operate/personal-data.ts'
import { demoStatements } from '../../../../scripts/start/demo.ts'
import { addUser, migratedDatabase, singleValue } from '../../migrations/database.ts'
import { databaseOn } from './database-on.ts'

it('erasing a person erases what the person makes meanwhile, too, and the counter is right then', async () => {
  const sqlite = migratedDatabase()
  const users = ['before', 'meanwhile']
  const addNext = () => {
    const id = users.shift()
    if (id !== undefined) {
      addUser(sqlite, id, 'ann')
      sqlite.exec(
        "UPDATE counters SET value = value + 1 WHERE name = (SELECT min(name) FROM counters WHERE name LIKE 'users%')",
      )
    }
  }
  addNext()
  await erasePerson(databaseOn(sqlite, addNext), 'ann')
  expect(users).toEqual([])
  expect(singleValue(sqlite, 'SELECT count(*) FROM users')).toBe(0)
  const counted = "SELECT sum(value) FROM counters WHERE name LIKE 'users%'"
  expect(singleValue(sqlite, counted)).toBe(0)
})

it('erasing a person complains where the person makes more at the very end', async () => {
  const sqlite = migratedDatabase()
  const database = databaseOn(sqlite)
  const query: typeof database.query = async (statements) => {
    const found = await database.query(statements)
    if (statements.length === 1) {
      addUser(sqlite, 'late', 'ann')
    }
    return found
  }
  await expect(erasePerson({ ...database, query }, 'ann')).rejects.toThrow(
    /^Something is left in users\. End the person's access, and run this again\.$/,
  )
})

it('a person with a card number is exported with the key ring alone', async () => {
  const sqlite = migratedDatabase()
  const database = databaseOn(sqlite)
  await database.query(await demoStatements(async () => 'v1.k.sealed'))
  await expect(personalData(database, '1', undefined)).rejects.toThrow(
    /^A card number is encrypted: .+--secrets-file\.$/,
  )
})
