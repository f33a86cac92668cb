import { describe, expect, it } from 'vitest'
import { createSigner, parseKeyRing } from '../../../src/lib/key-ring.ts'

const oldKey = 'A'.repeat(43)
const newKey = `B${'A'.repeat(42)}`
const ring = (current: string, keys: Readonly<Record<string, string>>) =>
  parseKeyRing(JSON.stringify({ current, keys }))

describe('a signer whose keys are derived from the key ring', () => {
  const signer = createSigner(ring('k1', { k1: oldKey }), 'test')

  it('signs as earlier versions did: names of callers and buckets are signatures', async () => {
    const signature = 'Xdjxal2T3rbRPxN7WlORMaT__wG6kplYPHyhpeI9ywA'
    expect(await signer.sign('text')).toBe(signature)
    expect(await signer.verify('text', signature)).toBe(true)
  })

  it('refuses the signature of another text, of another purpose, and of another key', async () => {
    const signature = await signer.sign('text')
    expect(await signer.verify('texts', signature)).toBe(false)
    expect(await createSigner(ring('k1', { k1: oldKey }), 'other').verify('text', signature)).toBe(
      false,
    )
    expect(await createSigner(ring('k1', { k1: newKey }), 'test').verify('text', signature)).toBe(
      false,
    )
  })

  it('accepts signatures of an old key while that key is in the ring', async () => {
    const signature = await signer.sign('text')
    const turned = createSigner(ring('k2', { k1: oldKey, k2: newKey }), 'test')
    expect(await turned.verify('text', signature)).toBe(true)
    expect(await turned.sign('text')).not.toBe(signature)
  })
})
