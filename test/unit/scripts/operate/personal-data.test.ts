import { expect, it } from 'vitest'
import { erasePerson } from '../../../../scripts/operate/personal-data.ts'
import { insert, migratedDatabase, singleValue } from '../../migrations/database.ts'
import { databaseOn } from './database-on.ts'

it('erasing a person fails where the person makes a user meanwhile, and erases that when it is run again', async () => {
  const sqlite = migratedDatabase()
  const users = ['before', 'meanwhile']
  const addNext = () => {
    const id = users.shift()
    if (id !== undefined) {
      const name = { full_name: 'n', full_name_key: 'n' }
      insert(sqlite, 'users', { id, owner: 'ann', ...name, email: id, email_key: id })
    }
  }
  addNext()
  const database = databaseOn(sqlite, addNext)
  await expect(erasePerson(database, 'ann')).rejects.toThrow('ann has made more meanwhile.')
  expect(await erasePerson(database, 'ann')).toEqual({ users: 1 })
  expect(singleValue(sqlite, 'SELECT count(*) FROM users')).toBe(0)
})
