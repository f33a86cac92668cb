import { expect, it } from 'vitest'
import { createCipher, parseKeyRing } from '../../../src/lib/key-ring.ts'

const keys = { k1: 'A'.repeat(43), k2: `${'B'.repeat(42)}A` }
const cipherOf = (current: string, own: object) =>
  createCipher(parseKeyRing(JSON.stringify({ current, keys: own })))
const [old, turned] = [cipherOf('k1', { k1: keys.k1 }), cipherOf('k2', keys)]

// That a text opens in its own context alone, test/unit/lib/key-ring.test.ts shows.
it('a new key seals, what the old one sealed stays readable, and a key that is gone is named', async () => {
  const sealed = await old.encrypt('secret', 'c')
  expect(await turned.decrypt(sealed, 'c')).toBe('secret')
  const newer = await turned.encrypt('secret', 'c')
  expect(newer).toMatch(/^v1\.k2\./)
  await expect(old.decrypt(newer, 'c')).rejects.toThrow('The ring of card keys has no key k2')
})

it.each(['', 'v1.k1', 'v2.k1.AAAA.AAAA', 'plain text', 'v1.k1.!.!', 'v1.__proto__.AAAA.AAAA'])(
  'a value that was not sealed here does not open: %j',
  async (sealed) => {
    await expect(old.decrypt(sealed, 'c')).rejects.toThrow()
  },
)
