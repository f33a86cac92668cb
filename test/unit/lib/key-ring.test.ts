import { describe, expect, it } from 'vitest'
import {
  createCipher,
  createSealer,
  createSigner,
  parseKeyRing,
} from '../../../src/lib/key-ring.ts'

const keys = { old: 'A'.repeat(43), new: `B${'A'.repeat(42)}` }
const ringOf = (current: keyof typeof keys, ids: Partial<typeof keys> = keys) =>
  parseKeyRing(JSON.stringify({ current, keys: ids }))
const sealer = createSealer(ringOf('old'), 'purpose')
const signer = createSigner(ringOf('old'), 'test')

describe('a signature (RFC 5869; HMAC-SHA-256)', () => {
  it('is the same in each version: names of callers and buckets are signatures', async () => {
    const signature = 'Xdjxal2T3rbRPxN7WlORMaT__wG6kplYPHyhpeI9ywA'
    expect(await signer.sign('text')).toBe(signature)
    expect(await signer.verify('text', signature)).toBe(true)
  })

  it('belongs to its text, its purpose and its key, and is valid while that is in the ring', async () => {
    const signature = await signer.sign('text')
    expect(await signer.verify('texts', signature)).toBe(false)
    const others = [
      { signer: createSigner(ringOf('old'), 'other'), isValid: false },
      { signer: createSigner(ringOf('new', { new: keys.new }), 'test'), isValid: false },
      { signer: createSigner(ringOf('new'), 'test'), isValid: true },
    ]
    for (const { signer: other, isValid } of others) {
      expect(await other.verify('text', signature)).toBe(isValid)
      expect(await other.sign('text')).not.toBe(signature)
    }
  })
})

describe('a sealed text (RFC 5869; AES-256-GCM)', () => {
  it('opens in its context, and in no other', async () => {
    for (const text of ['', 'text', '\0é😀'.repeat(99)]) {
      const sealed = await sealer.seal(text, 'context')
      expect(await sealer.open(sealed, 'context')).toBe(text)
      expect(await sealer.open(sealed, 'contexts')).toBeUndefined()
    }
  })

  it('has the same bytes in each version, and another nonce for another text or context', async () => {
    const seal = async (text: string, context: string) => String(await sealer.seal(text, context))
    const sealed = '0b9aaf9192de733daab6935ee94fc22b87b6d97e1cde62bbde236e4f38bef1ec'
    expect(await seal('text', 'context')).toBe(Buffer.from(sealed, 'hex').join())
    const all = [
      await seal('text', 'context'),
      await seal('texts', 'context'),
      await seal('text', 'contexts'),
    ]
    expect(new Set(all.map((one) => one.split(',', 12).join())).size).toBe(3)
  })

  it('belongs to its purpose, and opens while its key is in the ring', async () => {
    const sealed = await sealer.seal('text', 'context')
    const other = createSealer(ringOf('old'), 'other purpose')
    const rotated = createSealer(ringOf('new'), 'purpose')
    const without = createSealer(ringOf('new', { new: keys.new }), 'purpose')
    expect(await other.open(sealed, 'context')).toBeUndefined()
    expect(await rotated.open(sealed, 'context')).toBe('text')
    expect(String(await rotated.seal('text', 'context'))).not.toBe(String(sealed))
    expect(await without.open(sealed, 'context')).toBeUndefined()
  })
})

describe('what a cipher has encrypted', () => {
  const old = createCipher(ringOf('old', { old: keys.old }))

  it('stays readable after a change of keys, and of a key that is gone the error names it', async () => {
    const turned = createCipher(ringOf('new'))
    expect(await turned.decrypt(await old.encrypt('secret', 'c'), 'c')).toBe('secret')
    const newer = await turned.encrypt('secret', 'c')
    expect(newer).toMatch(/^v1\.new\./)
    await expect(old.decrypt(newer, 'c')).rejects.toThrow('The ring of card keys has no key new')
  })

  it.each(['', 'v1.old', 'v2.old.AAAA.AAAA', 'plain text', 'v1.old.!.!', 'v1.__proto__.AAAA.AAAA'])(
    'is nothing like %j, which does not open',
    async (sealed) => {
      await expect(old.decrypt(sealed, 'c')).rejects.toThrow()
    },
  )
})

const malformed =
  'CARD_KEYS must be a key ring like {"current":"k1","keys":{"k1":"<32 bytes, base64url>"}}'
const notJson = `${malformed}, and is not JSON`
const ring = (current: string, keys: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ current, keys })
it.each<[string, string, string]>([
  ['nothing', '', notJson],
  ['a list', JSON.stringify([keys.old]), malformed],
  ['a current key that objects have', ring('constructor', { k1: keys.old }), malformed],
  ['a key that is too short', ring('k1', { k1: keys.old.slice(1) }), malformed],
  ['a key in standard base64', ring('k1', { k1: `${keys.old.slice(0, 42)}+` }), malformed],
  ['an id with a dot', ring('k.1', { 'k.1': keys.old }), malformed],
  ['a malformed key that is not current', ring('k1', { k1: keys.old, k2: 'x' }), malformed],
])('a malformed ring is a clear error that holds nothing of it: %s', (_, text, message) => {
  expect(() => parseKeyRing(text)).toThrow(new Error(message))
})
