import { describe, expect, it } from 'vitest'
import { createSigner, parseKeyRing } from '../../../src/lib/key-ring.ts'

const oldKey = 'A'.repeat(43)
const newKey = `B${'A'.repeat(42)}`
const ring = (current: string, keys: Readonly<Record<string, string>>) =>
  parseKeyRing(JSON.stringify({ current, keys }))

describe('a signer whose keys are derived from the key ring', () => {
  const signer = createSigner(ring('k1', { k1: oldKey }), 'test')

  it('knows its own codes, which are 43 characters long', async () => {
    const code = await signer.sign('text')
    expect(code).toMatch(/^[\w-]{43}$/)
    expect(await signer.verify('text', code)).toBe(true)
  })

  it('refuses the code of another text, of another purpose, and of another key', async () => {
    const code = await signer.sign('text')
    expect(await signer.verify('texts', code)).toBe(false)
    expect(await createSigner(ring('k1', { k1: oldKey }), 'other').verify('text', code)).toBe(false)
    expect(await createSigner(ring('k1', { k1: newKey }), 'test').verify('text', code)).toBe(false)
  })

  it.each(['', 'short', '='.repeat(43), 'é'.repeat(43), 'A'.repeat(44)])(
    'refuses %j, which is no code at all',
    async (code) => {
      expect(await signer.verify('text', code)).toBe(false)
    },
  )

  it('takes codes of an earlier key as long as that key is in the ring', async () => {
    const code = await signer.sign('text')
    const turned = createSigner(ring('k2', { k1: oldKey, k2: newKey }), 'test')
    expect(await turned.verify('text', code)).toBe(true)
    expect(await turned.sign('text')).not.toBe(code)
  })
})
