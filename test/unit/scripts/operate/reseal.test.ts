import type { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it } from 'vitest'
import { cardsUnder } from '../../../../scripts/lib/cards.ts'
import { resealCards } from '../../../../scripts/operate/reseal-cards.ts'
import { addUser, migratedDatabase, singleValue } from '../../migrations/database.ts'
import { databaseOn } from './database-on.ts'

const keys = { old: 'A'.repeat(43), new: `B${'A'.repeat(42)}` }
const oldRing = JSON.stringify({ current: 'old', keys })
const newRing = JSON.stringify({ current: 'new', keys })

let database: DatabaseSync
beforeEach(() => {
  database = migratedDatabase()
})

async function addCard(id: string, card: string): Promise<void> {
  addUser(database, id, 'owner')
  const sealed = await cardsUnder(oldRing).seal(id, card)
  database.prepare('UPDATE users SET card = ? WHERE id = ?').run(sealed, id)
}

const storedCard = (id: string) =>
  String(singleValue(database, `SELECT card FROM users WHERE id = '${id}'`))

const reseal = (before = () => {}) => resealCards(databaseOn(database, before), newRing)

describe('Encrypting card numbers anew', () => {
  it('puts every number under the current key, whatever the number of rows', async () => {
    for (let n = 0; n < 250; n++) {
      await addCard(`user-${n}`, `4111 ${n}`)
    }
    expect(await reseal()).toBe(250)
    for (const n of [0, 199, 200, 249]) {
      expect(storedCard(`user-${n}`)).toMatch(/^v1\.new\./)
      expect(await cardsUnder(newRing).open(`user-${n}`, storedCard(`user-${n}`))).toBe(`4111 ${n}`)
    }
    expect(await reseal()).toBe(0)
  })

  it('does not overwrite a number that its owner changes meanwhile', async () => {
    await addCard('busy', 'before')
    await reseal(() => database.exec("UPDATE users SET card = 'v1.new.changed' WHERE id = 'busy'"))
    expect(storedCard('busy')).toBe('v1.new.changed')
  })

  it.each([
    ['missing from the ring', { new: keys.new }],
    ['not the one that has encrypted', { new: keys.new, old: keys.new }],
  ])('changes nothing when a key is %s, and names it', async (_, others) => {
    await addCard('lost', '1')
    const ring = JSON.stringify({ current: 'new', keys: others })
    await expect(resealCards(databaseOn(database), ring)).rejects.toThrow(
      'A card number cannot be decrypted: put the key old back into the ring.',
    )
    expect(storedCard('lost')).toMatch(/^v1\.old\./)
  })
})
