import { describe, expect, it } from 'vitest'
import { migratedDatabase, rowsOf } from './database.ts'

const database = migratedDatabase()

/** How SQLite would run the statement: one line a step. */
const planOf = (sql: string): string =>
  rowsOf(database, `EXPLAIN QUERY PLAN ${sql}`)
    .map(({ detail }) => detail)
    .join('\n')

describe('a page of users is read from an index in its order, without sorting', () => {
  it.each([
    'id',
    'full_name_key, id',
    'full_name_key DESC, id',
    'email_key',
    'email_key DESC',
    'full_name_key, email_key',
    'full_name_key, email_key DESC',
    'full_name_key DESC, email_key',
    'full_name_key DESC, email_key DESC',
  ])('by %s', (order) => {
    const plan = planOf(`SELECT * FROM users ORDER BY ${order} LIMIT 20`)
    expect(plan).toMatch(/^SCAN users USING INDEX \w+$/)
  })
})

describe('the page after a position is found by key, whatever its depth', () => {
  it.each([
    ["id > 'x'", 'id'],
    ["full_name_key = 'x' AND id > 'x'", 'id'],
    ["full_name_key > 'x'", 'full_name_key, id'],
    ["full_name_key < 'x'", 'full_name_key DESC, id'],
    ["email_key > 'x'", 'email_key'],
    ["email_key < 'x'", 'email_key DESC'],
    ["full_name_key = 'x' AND email_key > 'x'", 'email_key'],
    ["full_name_key = 'x' AND email_key < 'x'", 'email_key DESC'],
    ["full_name_key > 'x'", 'full_name_key, email_key'],
    ["full_name_key > 'x'", 'full_name_key, email_key DESC'],
    ["full_name_key < 'x'", 'full_name_key DESC, email_key'],
    ["full_name_key < 'x'", 'full_name_key DESC, email_key DESC'],
  ])('where %s by %s', (position, order) => {
    const plan = planOf(`SELECT * FROM users WHERE ${position} ORDER BY ${order} LIMIT 20`)
    const columns = position.split(' AND ').map((part) => part.split(' ')[0])
    const bounds = columns.map((column) => `${column}[=<>]\\?`).join(' AND ')
    expect(plan).toMatch(new RegExp(`^SEARCH users USING INDEX \\w+ \\(${bounds}\\)$`))
  })
})

describe('a look-up by key searches an index instead of scanning the table', () => {
  it.each([
    ['a user', "SELECT * FROM users WHERE id = 'x'"],
    ['an e-mail address', "SELECT * FROM users WHERE email_key = 'x'"],
    ['the users of a person', "SELECT 1 FROM users WHERE owner = 'x' LIMIT 1000"],
    ['the number of users', "SELECT value FROM counters WHERE name = 'users'"],
    [
      'citizenships of a user',
      "SELECT * FROM user_citizenships WHERE user_id = 'x' ORDER BY country_id",
    ],
    [
      'relatives of a user',
      "SELECT * FROM user_relatives WHERE user_id = 'x' ORDER BY relative_id",
    ],
    [
      'currencies of a country',
      "SELECT * FROM country_currencies WHERE country_id = 'x' ORDER BY currency_id",
    ],
    [
      'citizenships that go with a deleted user',
      "DELETE FROM user_citizenships WHERE user_id = 'x'",
    ],
    ['relatives that go with a deleted user', "DELETE FROM user_relatives WHERE user_id = 'x'"],
    ['a key of a create', "SELECT * FROM idempotency_keys WHERE name = 'x'"],
    ['those whose relative goes', "DELETE FROM user_relatives WHERE relative_id = 'x'"],
  ])('for %s', (_, sql) => {
    expect(planOf(sql)).toMatch(
      /^SEARCH \w+ USING ((?:COVERING )?INDEX \w+|PRIMARY KEY) \(\w+=\?\)$/,
    )
  })
})
