import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { renewKeys } from '../../../../scripts/operate/sort-keys.ts'
import { letters } from '../../../../src/jsonapi/declare/readable.ts'
import { users } from '../../../../src/resources/users.ts'
import { insert, migratedDatabase, rowsOf } from '../../migrations/database.ts'
import { databaseOn } from './database-on.ts'

let database: DatabaseSync
beforeEach(() => {
  database = migratedDatabase()
})

/** A user whose key an earlier version has written: in lower case, with its accents. */
function addUser(id: string, name: string, key = name.toLowerCase()): void {
  const names = { full_name: name, full_name_key: key }
  insert(database, 'users', { id, owner: 'o', ...names, email: `${id}É`, email_key: `${id}é` })
}

const renew = (on = databaseOn(database)) => renewKeys(on, users)
const keys = () =>
  rowsOf(database, 'SELECT full_name_key AS key FROM users ORDER BY id').map(({ key }) => key)

describe('Writing the keys anew that names are sorted by (contract, section 7)', () => {
  it('makes them the letters of the names, and leaves those that are', async () => {
    for (const [index, name] of ['Émile', "O'Neill", 'Ångström "x"', 'Ana', 'a\\b'].entries()) {
      addUser(`u${index}`, name)
    }
    addUser('u9', 'Zoë', 'zoe')
    expect(await renew()).toEqual([{ attribute: 'fullName', seen: 6, renewed: 2 }])
    expect(keys()).toEqual(['emile', "o'neill", 'angstrom "x"', 'ana', 'a\\b', 'zoe'])
    expect(await renew()).toEqual([{ attribute: 'fullName', seen: 6, renewed: 0 }])
  })

  it('leaves the keys that must be unique', async () => {
    addUser('u1', 'Émile')
    await renew()
    expect(rowsOf(database, 'SELECT email_key AS key FROM users')).toEqual([{ key: 'u1é' }])
  })

  it('goes through any number of rows in statements that D1 takes', async () => {
    const names = Array.from(
      { length: 5_003 },
      (_, index) => `Ö${"'".repeat(60)}${'ö'.repeat(60)}${index}`,
    )
    database.exec('BEGIN')
    for (const [index, name] of names.entries()) {
      addUser(`u${String(index).padStart(5, '0')}`, name)
    }
    database.exec('COMMIT')
    const on = databaseOn(database)
    expect(await renew(on)).toEqual([{ attribute: 'fullName', seen: 5_003, renewed: 5_003 }])
    expect(keys()).toEqual(names.map(letters))
    expect(on.commands.filter((sql) => sql.startsWith('SELECT'))).toHaveLength(2)
    expect(Math.max(...on.commands.map((sql) => Buffer.byteLength(sql)))).toBeLessThan(100_000)
  })

  it('does not overwrite the key of a name that its owner changes meanwhile', async () => {
    addUser('busy', 'Émile')
    const change =
      "UPDATE users SET full_name = 'Ångström', full_name_key = 'angstrom' WHERE id = 'busy'"
    await renew(databaseOn(database, () => database.exec(change)))
    expect(keys()).toEqual(['angstrom'])
  })
})
