import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadDatabase } from '../../../../lab/bench/data/database.ts'
import { databaseOn } from '../../../../lab/bench/data/sqlite.ts'
import { checkInvariants } from '../../../../lab/reliability/soak/invariants.ts'
import { cardsUnder } from '../../../../scripts/lib/cards.ts'
import { cardKeys } from '../../../support/card-keys.ts'

const people = 40
const sqlite = new DatabaseSync(':memory:')
const database = databaseOn(sqlite)
beforeAll(async () => {
  await loadDatabase(database, { people, seal: cardsUnder(cardKeys).seal })
})

/** What is found after a change, which is undone. */
async function found(...changes: readonly string[]): Promise<readonly string[]> {
  sqlite.exec('SAVEPOINT sound; PRAGMA defer_foreign_keys = ON')
  try {
    for (const change of changes) {
      sqlite.exec(change)
    }
    return (await checkInvariants(database, cardKeys)).faults
  } finally {
    sqlite.exec('ROLLBACK TO sound; RELEASE sound')
  }
}

describe('The check of the database after npm run soak', () => {
  it('finds no fault with people whose names have accents', async () => {
    const [{ accents } = {}] = sqlite
      .prepare("SELECT count(*) AS accents FROM users WHERE full_name GLOB '*[^ -~]*'")
      .all()
    expect(Number(accents)).toBeGreaterThan(5)
    expect(await checkInvariants(database, cardKeys)).toEqual({
      users: people,
      cards: people,
      faults: [],
    })
  })

  const first = '(SELECT min(id) FROM users)'
  it.each([
    [
      'a counter that is off',
      "UPDATE counters SET value = value + 2 WHERE name = 'users'",
      'counter off the number of users: 2',
    ],
    [
      'the key of an e-mail address',
      `UPDATE users SET email_key = 'x' WHERE id = ${first}`,
      'keys that are not those of their values: 1',
    ],
    [
      'the key of a name',
      `UPDATE users SET full_name_key = full_name WHERE id = ${first}`,
      expect.stringMatching(/^the key of the name of user \S+ is another one$/),
    ],
    [
      'a card number under another user',
      `UPDATE users SET card = (SELECT card FROM users WHERE id <> ${first} LIMIT 1) WHERE id = ${first}`,
      expect.stringMatching(/^the card number of user \S+ does not open$/),
    ],
    [
      'a citizen who is gone',
      "INSERT INTO user_citizenships SELECT 'gone', min(id) FROM countries",
      'citizenships of no user: 1',
    ],
  ])('finds %s', async (_, change, fault) => {
    expect(await found(change)).toEqual([fault])
  })
})
