import { describe, expect, it } from 'vitest'
import { demoPeople, demoStatements } from '../../../scripts/start/demo.ts'
import { letters } from '../../../src/jsonapi/declare/readable.ts'
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

describe('the demo people (contract, section 11)', async () => {
  const database = await demoDatabase()
  const users = rowsOf(database, 'SELECT * FROM users')
  const generated = users.filter(({ id }) => String(id).length > 1)

  it('are John, Jane, Jack, Jessy and Jared Doe, owned by the subjects "1" to "5", and four more of John\'s', () => {
    const does = rowsOf(
      database,
      'SELECT id, owner, full_name, email FROM users WHERE length(id) = 1 ORDER BY id',
    )
    const names = ['John', 'Jane', 'Jack', 'Jessy', 'Jared', 'Joan', 'Joy', 'Judy', 'June']
    expect(does).toEqual(
      names.map((name, index) => ({
        id: String(index + 1),
        owner: index < 5 ? String(index + 1) : '1',
        full_name: `${name} Doe`,
        email: `${name.toLowerCase()}.doe@example.com`,
      })),
    )
    expect(demoPeople.map(({ subject }) => subject)).toEqual(['1', '2', '3', '4', '5'])
  })

  it('include 40 others, more than a page, with UUIDv7 ids and subjects of their own', () => {
    expect(generated).toHaveLength(40)
    for (const { id } of generated) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
    expect(new Set(users.map(({ owner }) => owner)).size).toBe(users.length - 4)
  })

  it('have keys as the service writes them, beyond ASCII too', () => {
    for (const { full_name, full_name_key, email, email_key } of users) {
      expect(full_name_key).toBe(letters(String(full_name)))
      expect(email_key).toBe(String(email).toLowerCase())
    }
    expect(users.some(({ full_name }) => /[^\0-\x7f]/.test(String(full_name)))).toBe(true)
  })

  it('have the encrypted card number of each person and no plain one', () => {
    const cards = rowsOf(database, 'SELECT id, card FROM users WHERE card IS NOT NULL')
    expect(cards).toHaveLength(5)
    for (const { id, card } of cards) {
      expect(card).toMatch(new RegExp(`^sealed for '${id}': \\d+$`))
    }
  })

  it('have home addresses with a door code, ordinary ones without, or none', () => {
    const addresses = users.map(({ addresses }) => JSON.parse(String(addresses)))
    const homes = addresses.flat().map((address) => address && 'doorCode' in address)
    expect(new Set(homes)).toEqual(new Set([true, false, null]))
  })

  it('have a place of birth and citizenships, of which the generated people have two', () => {
    expect(users.every(({ place_of_birth }) => place_of_birth !== null)).toBe(true)
    const counts = rowsOf(
      database,
      `SELECT user_id, count(*) AS n FROM user_citizenships GROUP BY 1`,
    )
    expect(counts).toHaveLength(49)
    expect(counts.filter(({ user_id }) => String(user_id).length > 1)).toEqual(
      expect.arrayContaining(generated.map(({ id }) => ({ user_id: id, n: 2 }))),
    )
  })

  it('have three relatives each where they are generated', () => {
    const counts = rowsOf(
      database,
      'SELECT count(*) AS n FROM user_relatives WHERE length(user_id) > 1 GROUP BY user_id',
    )
    expect(counts).toEqual(generated.map(() => ({ n: 3 })))
  })

  it('use every relationship type (contract, section 18)', () => {
    const types = rowsOf(
      database,
      'SELECT DISTINCT relationship_type AS type FROM user_relatives WHERE length(user_id) = 1',
    )
    expect(types.map(({ type }) => type).sort()).toEqual(
      ['BROTHER', 'DAUGHTER', 'FATHER', 'HUSBAND', 'MOTHER', 'SON', 'WIFE'].sort(),
    )
  })

  it('are related in both directions, so that a wife has a husband and a son a parent', () => {
    const links = rowsOf(database, 'SELECT * FROM user_relatives')
    const is = (person: unknown, of: unknown) =>
      links.find(({ user_id, relative_id }) => user_id === of && relative_id === person)
        ?.relationship_type
    const answers = new Map([
      ['WIFE', ['HUSBAND']],
      ['HUSBAND', ['WIFE']],
      ['SON', ['FATHER', 'MOTHER']],
      ['DAUGHTER', ['FATHER', 'MOTHER']],
      ['FATHER', ['SON', 'DAUGHTER']],
      ['MOTHER', ['SON', 'DAUGHTER']],
      // A sister of a brother is beyond the vocabulary.
      ['BROTHER', ['BROTHER', undefined]],
    ])
    for (const { user_id, relative_id, relationship_type } of links) {
      expect(answers.get(String(relationship_type))).toContain(is(user_id, relative_id))
    }
  })
})

describe('loading the demo people', () => {
  it('runs the same statements every time', async () => {
    expect(await demoStatements(encrypt)).toEqual(await demoStatements(encrypt))
  })

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

  it('runs no statement that is longer than D1 takes', async () => {
    for (const sql of await demoStatements(encrypt)) {
      expect(Buffer.byteLength(sql)).toBeLessThan(100_000)
    }
  })
})
