import { sql } from 'drizzle-orm'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import { cardsUnder } from '../lib/cards.ts'
import type { Progress } from '../lib/progress.ts'
import type { Database } from './database.ts'

/** Rows at a time. One call of D1 has at most 1,000 statements. */
const pageSize = 500

/**
 * Encrypts every card number anew that is not under the current key of the ring. A number that changes meanwhile is
 * left alone: whoever wrote it used the current key. Can be stopped and run again at any time.
 *
 * @param cardKeys the secret `CARD_KEYS`, with the old keys and the current one
 * @returns how many there were
 */
export async function resealCards(
  database: Database,
  cardKeys: string,
  progress?: Progress,
): Promise<number> {
  const start = `v1.${parseKeyRing(cardKeys).current}.`
  const isOld = sql`card is not null and substr(card, 1, ${start.length}) <> ${start}`
  const cards = cardsUnder(cardKeys)
  const [[total] = []] = await database.query([
    sql`select count(*) as number from users where ${isOld}`,
  ])
  progress?.begin('Card numbers', Number(total?.number))
  let count = 0
  let last = ''
  for (;;) {
    const [rows = []] = await database.query([
      sql`select id, card from users where id > ${last} and ${isOld} order by id limit ${pageSize}`,
    ])
    const stored = rows.map((row) => ({ id: String(row.id), card: String(row.card) }))
    const updates = await Promise.all(
      stored.map(async ({ id, card }) => {
        const renewed = await cards.seal(id, await cards.open(id, card))
        return sql`update users set card = ${renewed} where id = ${id} and card = ${card}`
      }),
    )
    await database.query(updates)
    progress?.add(stored.length)
    count += stored.length
    last = stored.at(-1)?.id ?? last
    if (stored.length < pageSize) {
      progress?.end()
      return count
    }
  }
}
