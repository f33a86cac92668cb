import { cardsUnder } from '../../../scripts/lib/cards.ts'
import { letters } from '../../../src/jsonapi/declare/readable.ts'
import type { Database } from '../../bench/data/database.ts'

/** Queries that count what must not be. */
const violations: Readonly<Record<string, string>> = {
  'counter off the number of users': `SELECT abs((SELECT value FROM counters WHERE name = 'users') -
    (SELECT count(*) FROM users)) AS n`,
  'citizenships of no user': `SELECT count(*) AS n FROM user_citizenships
    WHERE user_id NOT IN (SELECT id FROM users)`,
  'citizenships of no country': `SELECT count(*) AS n FROM user_citizenships
    WHERE country_id NOT IN (SELECT id FROM countries)`,
  'relatives of no user': `SELECT count(*) AS n FROM user_relatives
    WHERE user_id NOT IN (SELECT id FROM users)`,
  'relatives that are no user': `SELECT count(*) AS n FROM user_relatives
    WHERE relative_id NOT IN (SELECT id FROM users)`,
  'people related to themselves': `SELECT count(*) AS n FROM user_relatives
    WHERE user_id = relative_id`,
  'places of birth that are no country': `SELECT count(*) AS n FROM users
    WHERE place_of_birth NOT IN (SELECT id FROM countries)`,
  'currencies of no country': `SELECT count(*) AS n FROM country_currencies
    WHERE country_id NOT IN (SELECT id FROM countries)
      OR currency_id NOT IN (SELECT id FROM currencies)`,
  'e-mail addresses twice': `SELECT count(*) - count(DISTINCT email_key) AS n FROM users`,
  'keys that are not those of their values': `SELECT count(*) AS n FROM users
    WHERE email_key <> lower(email)`,
  'addresses that are no JSON': `SELECT count(*) AS n FROM users
    WHERE addresses IS NOT NULL AND NOT json_valid(addresses)`,
}

/** What was found of the database. */
export interface Checked {
  readonly users: number
  readonly cards: number
  /** A sentence for each invariant that does not hold. */
  readonly faults: readonly string[]
}

/**
 * Checks the invariants of the whole database.
 *
 * @param ring the key ring that every card number must open with
 */
export async function checkInvariants(db: Database, ring: string): Promise<Checked> {
  const faults: string[] = []
  for (const [name, sql] of Object.entries(violations)) {
    const [[count] = []] = await db.prepare(sql).raw()
    if (count !== 0) {
      faults.push(`${name}: ${count}`)
    }
  }
  const users = await db.prepare('SELECT id, card, full_name, full_name_key FROM users').raw()
  for (const [id, , name, key] of users) {
    if (letters(String(name)) !== key) {
      faults.push(`the key of the name of user ${id} is another one`)
    }
  }
  const { open } = cardsUnder(ring)
  const cards = users.filter(([, card]) => card !== null)
  for (const [id, card] of cards) {
    const opened = await open(String(id), String(card)).catch(() => '')
    if (!/^\d[\d -]+$/.test(opened)) {
      faults.push(`the card number of user ${id} does not open`)
    }
  }
  return { users: users.length, cards: cards.length, faults }
}
