import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { paths } from '../../../../scripts/lib/config.ts'
import { erasePerson } from '../../../../scripts/operate/personal-data.ts'
import { databaseOn } from './database-on.ts'

it('erasing a person fails where the person makes a user meanwhile, and erases it when it is asked again', async () => {
  const sqlite = new DatabaseSync(':memory:')
  for (const file of readdirSync(paths.migrations)
    .filter((name) => name.endsWith('.sql'))
    .sort()) {
    sqlite.exec(readFileSync(join(paths.migrations, file), 'utf8'))
  }
  const users = ['before', 'meanwhile']
  const addNext = () => {
    const id = users.shift()
    if (id !== undefined) {
      sqlite.exec(
        `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key)
          VALUES ('${id}', 'ann', 'n', 'n', '${id}', '${id}')`,
      )
    }
  }
  addNext()
  const database = databaseOn(sqlite, addNext)
  await expect(erasePerson(database, 'ann')).rejects.toThrow('ann has made more meanwhile.')
  expect(await erasePerson(database, 'ann')).toEqual({ users: 1 })
  expect(sqlite.prepare("SELECT count(*) AS left FROM users WHERE owner = 'ann'").get()).toEqual({
    left: 0,
  })
})
