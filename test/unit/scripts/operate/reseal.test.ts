import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { cardsUnder } from '../../../../scripts/lib/cards.ts'
import { resealCards } from '../../../../scripts/operate/reseal-cards.ts'
import { databaseOn } from './database-on.ts'

const keys = { old: 'A'.repeat(43), new: `B${'A'.repeat(42)}` }
const oldRing = JSON.stringify({ current: 'old', keys })
const newRing = JSON.stringify({ current: 'new', keys })
const schema = new URL('../../../../migrations/0001_schema.sql', import.meta.url)

let database: DatabaseSync
beforeEach(() => {
  database = new DatabaseSync(':memory:')
  database.exec(readFileSync(schema, 'utf8'))
})

async function addUser(id: string, card: string): Promise<void> {
  const sealed = await cardsUnder(oldRing).seal(id, card)
  database
    .prepare(
      `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key, card)
        VALUES (?1, 'o', 'n', 'n', ?1, ?1, ?2)`,
    )
    .run(id, sealed)
}

function storedCard(id: string): string {
  return String(database.prepare('SELECT card FROM users WHERE id = ?').get(id)?.card)
}

function cardOf(id: string): Promise<string> {
  return cardsUnder(newRing).open(id, storedCard(id))
}

const reseal = (before = () => {}) => resealCards(databaseOn(database, before), newRing)

describe('Encrypting card numbers anew', () => {
  it('puts every number under the current key, whatever the number of rows', async () => {
    for (let n = 0; n < 450; n++) {
      await addUser(`user-${n}`, `4111 ${n}`)
    }
    expect(await reseal()).toBe(450)
    for (const n of [0, 199, 200, 449]) {
      expect(storedCard(`user-${n}`)).toMatch(/^v1\.new\./)
      expect(await cardOf(`user-${n}`)).toBe(`4111 ${n}`)
    }
    expect(await reseal()).toBe(0)
  })

  it('does not overwrite a number that its owner changes meanwhile', async () => {
    await addUser('busy', 'before')
    await reseal(() => database.exec("UPDATE users SET card = 'v1.new.changed' WHERE id = 'busy'"))
    expect(storedCard('busy')).toBe('v1.new.changed')
  })

  it('changes nothing when a key is missing from the ring, and names it', async () => {
    await addUser('lost', '1')
    const ring = JSON.stringify({ current: 'new', keys: { new: keys.new } })
    await expect(resealCards(databaseOn(database), ring)).rejects.toThrow(
      'A card number cannot be decrypted: put the key old back into the ring.',
    )
    expect(storedCard('lost')).toMatch(/^v1\.old\./)
  })

  it('names the key whose bytes are not those that encrypted', async () => {
    await addUser('changed', '1')
    const ring = JSON.stringify({ current: 'new', keys: { new: keys.new, old: keys.new } })
    await expect(resealCards(databaseOn(database), ring)).rejects.toThrow('put the key old back')
  })
})
