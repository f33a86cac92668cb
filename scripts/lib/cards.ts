import { sealContext } from '../../src/db/stored.ts'
import { type Cipher, createCipher, parseKeyRing } from '../../src/lib/key-ring.ts'
import { complaint } from './complaint.ts'

/** Card numbers as the column `card` of users holds them. */
export type Cards = ReturnType<typeof cardsUnder>

/**
 * Card numbers under a key ring: the secret `CARD_KEYS`.
 *
 * @throws Error when the ring is none
 */
export function cardsUnder(ring: string) {
  const cipher = createCipher(parseKeyRing(ring))
  const context = (userId: string) => sealContext('users', userId, 'creditCardNumber')
  return {
    /** Encrypts a number of a user under the current key. */
    seal: (userId: string, cardNumber: string) => cipher.encrypt(cardNumber, context(userId)),
    /** Decrypts what is stored for a user. Rejects with a complaint where the ring lacks its key. */
    open: (userId: string, stored: string) => decrypt(cipher, stored, context(userId)),
  }
}

/**
 * Decrypts a value that is stored encrypted.
 *
 * @throws a complaint that names the key, where the ring lacks it or has another one under its name
 */
export async function decrypt(cipher: Cipher, stored: string, context: string): Promise<string> {
  try {
    return await cipher.decrypt(stored, context)
  } catch (error) {
    const [, key] = stored.split('.')
    throw complaint(
      `A card number cannot be decrypted: put the key ${key} back into the ring.`,
      error,
    )
  }
}
