import { createCipher } from '../../src/db/cipher.ts'
import { sealContext } from '../../src/db/rows.ts'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import type { Database } from './database.ts'
import { text } from './engines.ts'

/** Rows at a time: their statements must fit into one command. */
const pageSize = 200

/**
 * Encrypts every card number anew that is not under the current key of the ring. A number that changes meanwhile is
 * left alone: whoever wrote it used the current key. Can be stopped and run again at any time.
 *
 * @param cardKeys the secret `CARD_KEYS`, with the old keys and the current one
 * @returns how many there were
 */
export async function resealCards(database: Database, cardKeys: string): Promise<number> {
  const ring = parseKeyRing(cardKeys)
  const { current } = ring
  const cipher = createCipher(ring)
  let count = 0
  let last = ''
  for (;;) {
    const [rows = []] = await database.query([
      `SELECT id, card FROM users WHERE id > ${text(last)} AND card IS NOT NULL
        AND substr(card, 1, ${current.length + 4}) <> ${text(`v1.${current}.`)} ORDER BY id LIMIT ${pageSize}`,
    ])
    const cards = rows.map((row) => ({ id: String(row.id), card: String(row.card) }))
    const updates = await Promise.all(
      cards.map(async ({ id, card }) => {
        const context = sealContext('users', id, 'creditCardNumber')
        const renewed = await cipher.encrypt(await cipher.decrypt(card, context), context)
        return `UPDATE users SET card = ${text(renewed)} WHERE id = ${text(id)} AND card = ${text(card)}`
      }),
    )
    await database.query(updates)
    count += cards.length
    last = cards.at(-1)?.id ?? last
    if (cards.length < pageSize) {
      return count
    }
  }
}
