import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSealer, parseKeyRing } from '../../../src/lib/key-ring.ts'

const keys = { old: 'A'.repeat(43), new: `B${'A'.repeat(42)}` }
const sealerOf = (ring: object, purpose = 'purpose') =>
  createSealer(parseKeyRing(JSON.stringify(ring)), purpose)
const sealer = sealerOf({ current: 'old', keys })

describe('a sealed text (RFC 5869; AES-256-GCM)', () => {
  it('opens in its context, and in no other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), fc.string(), async (text, context, other) => {
        const sealed = await sealer.seal(text, context)
        expect(await sealer.open(sealed, context)).toBe(text)
        expect(await sealer.open(sealed, other)).toBe(other === context ? text : undefined)
      }),
      { numRuns: 50 },
    )
  })

  it('opens no more with any bit of it changed, or cut', async () => {
    const sealed = await sealer.seal('text', 'context')
    for (let bit = 0; bit < 8 * sealed.length; bit++) {
      const changed = sealed.slice()
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(await sealer.open(changed, 'context')).toBeUndefined()
    }
    for (let length = 0; length < sealed.length; length++) {
      expect(await sealer.open(sealed.slice(0, length), 'context')).toBeUndefined()
    }
  })

  it('has the same bytes in each version, and others for another text or context', async () => {
    const seal = async (text: string, context: string) => String(await sealer.seal(text, context))
    const sealed = '0b9aaf9192de733daab6935ee94fc22b87b6d97e1cde62bbde236e4f38bef1ec'
    expect(await seal('text', 'context')).toBe(Buffer.from(sealed, 'hex').join())
    const nonces = [
      await seal('text', 'context'),
      await seal('texts', 'context'),
      await seal('text', 'contexts'),
    ].map((sealed) => sealed.split(',', 12).join())
    expect(new Set(nonces).size).toBe(3)
  })

  it('does not show the text', async () => {
    const sealed = await sealer.seal('a text that stands for itself', 'context')
    expect(new TextDecoder().decode(sealed)).not.toContain('text')
  })
})

describe('the keys of a seal', () => {
  it('belong to a purpose', async () => {
    const sealed = await sealer.seal('text', 'context')
    const other = sealerOf({ current: 'old', keys }, 'other purpose')
    expect(await other.open(sealed, 'context')).toBeUndefined()
  })

  it('can rotate: what an old key sealed opens while it stays in the ring', async () => {
    const sealed = await sealer.seal('text', 'context')
    const rotated = sealerOf({ current: 'new', keys })
    expect(await rotated.open(sealed, 'context')).toBe('text')
    expect(String(await rotated.seal('text', 'context'))).not.toBe(String(sealed))
    const without = sealerOf({ current: 'new', keys: { new: keys.new } })
    expect(await without.open(sealed, 'context')).toBeUndefined()
  })
})
