import { createCipher } from '../../src/db/cipher.ts'
import { sealContext } from '../../src/db/stored.ts'
import { parseKeyRing } from '../../src/lib/key-ring.ts'

/** Card numbers as the column `card` of users holds them. */
export interface Cards {
  /** Encrypts a number of a user under the current key. */
  seal(userId: string, cardNumber: string): Promise<string>
  /** Decrypts what is stored for a user. Rejects where the ring has no such key, or the text is not for this user. */
  open(userId: string, stored: string): Promise<string>
}

/**
 * Card numbers under a key ring: the secret `CARD_KEYS`.
 *
 * @throws Error when the ring is none
 */
export function cardsUnder(ring: string): Cards {
  const cipher = createCipher(parseKeyRing(ring))
  const context = (userId: string) => sealContext('users', userId, 'creditCardNumber')
  return {
    seal: (userId, cardNumber) => cipher.encrypt(cardNumber, context(userId)),
    open: (userId, stored) => cipher.decrypt(stored, context(userId)),
  }
}
