import { parseKeyRing } from '../../src/lib/key-ring.ts'
import { cardsUnder } from '../lib/cards.ts'
import { literal } from '../lib/sql.ts'
import type { Database } from './database.ts'

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
  const { current } = parseKeyRing(cardKeys)
  const cards = cardsUnder(cardKeys)
  let count = 0
  let last = ''
  for (;;) {
    const [rows = []] = await database.query([
      `SELECT id, card FROM users WHERE id > ${literal(last)} AND card IS NOT NULL
        AND substr(card, 1, ${current.length + 4}) <> ${literal(`v1.${current}.`)} ORDER BY id LIMIT ${pageSize}`,
    ])
    const stored = rows.map((row) => ({ id: String(row.id), card: String(row.card) }))
    const updates = await Promise.all(
      stored.map(async ({ id, card }) => {
        const renewed = await cards.seal(id, await cards.open(id, card))
        return `UPDATE users SET card = ${literal(renewed)} WHERE id = ${literal(id)} AND card = ${literal(card)}`
      }),
    )
    await database.query(updates)
    count += stored.length
    last = stored.at(-1)?.id ?? last
    if (stored.length < pageSize) {
      return count
    }
  }
}
