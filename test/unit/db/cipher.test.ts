import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCipher } from '../../../src/db/cipher.ts'
import { parseKeyRing } from '../../../src/lib/key-ring.ts'
import { anyText } from '../../support/texts.ts'

const oldKey = 'A'.repeat(43)
const newKey = `${'B'.repeat(42)}A`
const ring = (current: string, keys: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ current, keys })
const cipher = createCipher(parseKeyRing(ring('k1', { k1: oldKey })))

const text = anyText().filter((value) => value.isWellFormed())

describe('a sealed value', () => {
  it('opens in the context it was sealed in, and says what was sealed', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.string(), async (value, context) => {
        expect(await cipher.decrypt(await cipher.encrypt(value, context), context)).toBe(value)
      }),
    )
  })

  it('opens in no other context', async () => {
    const sealed = await cipher.encrypt('4111 1111 1111 1111', 'users/1/card')
    for (const context of ['users/2/card', 'users/1/name', 'users/1', '', 'users/1/card ']) {
      await expect(cipher.decrypt(sealed, context)).rejects.toThrow()
    }
  })

  it.each(['', 'v1.k1', 'v2.k1.AAAA.AAAA', 'plain text', 'v1.k1.!.!', 'v1.__proto__.AAAA.AAAA'])(
    'does not open where it was not made here: %j',
    async (sealed) => {
      await expect(cipher.decrypt(sealed, 'c')).rejects.toThrow()
    },
  )
})

describe('a ring of keys turns', () => {
  const turned = createCipher(parseKeyRing(ring('k2', { k1: oldKey, k2: newKey })))

  it('a new key seals, and what the old one sealed stays readable', async () => {
    const sealed = await cipher.encrypt('secret', 'c')
    expect(await turned.decrypt(sealed, 'c')).toBe('secret')
    expect(await turned.encrypt('secret', 'c')).toMatch(/^v1\.k2\./)
  })

  it('what was sealed under a key that is gone does not open, and the failure names the key only', async () => {
    const sealed = await turned.encrypt('secret', 'c')
    await expect(cipher.decrypt(sealed, 'c')).rejects.toThrow('The ring of card keys has no key k2')
  })
})
