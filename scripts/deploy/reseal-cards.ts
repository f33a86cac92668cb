import { createCipher } from '../../src/db/cipher.ts'
import { sealContext } from '../../src/db/rows.ts'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import type { Wrangler } from '../lib/wrangler.ts'

/** Rows at a time: their statements must fit into one command. */
const pageSize = 200

/** A card number as it is stored. */
interface SealedCard {
  readonly id: string
  readonly card: string
}

/**
 * Encrypts every card number anew that is not under the current key of the ring. A number that changes meanwhile is
 * left alone: whoever wrote it used the current key. Can be stopped and run again at any time.
 *
 * @param cardKeys the secret `CARD_KEYS`, with the old keys and the current one
 * @param where arguments of wrangler that tell which database
 * @returns how many there were
 */
export async function resealCards(
  wrangler: Wrangler,
  cardKeys: string,
  where: readonly string[],
): Promise<number> {
  const ring = parseKeyRing(cardKeys)
  const { current } = ring
  const cipher = createCipher(ring)
  const query = async (sql: string): Promise<readonly SealedCard[]> => {
    const answer = await wrangler('d1', 'execute', 'DB', ...where, '--json', '--command', sql)
    const [result]: { results: SealedCard[] }[] = JSON.parse(answer)
    return result?.results ?? []
  }
  let count = 0
  let last = ''
  for (;;) {
    const cards = await query(
      `SELECT id, card FROM users WHERE id > ${text(last)} AND card IS NOT NULL
        AND substr(card, 1, ${current.length + 4}) <> ${text(`v1.${current}.`)} ORDER BY id LIMIT ${pageSize}`,
    )
    const updates = await Promise.all(
      cards.map(async ({ id, card }) => {
        const context = sealContext('users', id, 'creditCardNumber')
        const renewed = await cipher.encrypt(await cipher.decrypt(card, context), context)
        return `UPDATE users SET card = ${text(renewed)} WHERE id = ${text(id)} AND card = ${text(card)}`
      }),
    )
    if (updates.length > 0) {
      await query(updates.join(';\n'))
    }
    count += cards.length
    last = cards.at(-1)?.id ?? last
    if (cards.length < pageSize) {
      return count
    }
  }
}

/** A literal of SQL: wrangler binds no values. */
function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}
