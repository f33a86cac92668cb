import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { parseKeyRing } from '../../../src/lib/key-ring.ts'
import { createBucketName } from '../../../src/rate-limit/name.ts'
import { runs } from '../runs.ts'

const issuer = 'https://auth.example.com'
const keys = { old: 'A'.repeat(43), new: `B${'A'.repeat(42)}` }
const ringOf = (current: keyof typeof keys) => parseKeyRing(JSON.stringify({ current, keys }))
const nameOf = createBucketName(ringOf('old'))

describe('the name of the bucket of a caller (contract, section 10)', () => {
  test.each([
    ['a person', { kind: 'user', issuer, id: 'somebody' }, undefined],
    ['a client', { kind: 'client', issuer, id: 'somebody' }, undefined],
    ['an address', undefined, '192.0.2.1'],
    ['nobody', undefined, undefined],
    ['somebody with a long id', { kind: 'user', issuer, id: 'x'.repeat(600) }, undefined],
  ] as const)('is 43 characters that tell nothing of %s', async (_, caller, address) => {
    expect(await nameOf(caller, address)).toMatch(/^[\w-]{43}$/)
  })

  test('is the same for another token of the same caller, and after a restart', async () => {
    const caller = { kind: 'user', issuer, id: '1' } as const
    const name = await nameOf(caller)
    expect(await nameOf({ ...caller })).toBe(name)
    expect(await createBucketName(ringOf('old'))(caller)).toBe(name)
  })

  test('is the caller’s own whatever the address, and the address’s where there is no caller', async () => {
    const caller = { kind: 'user', issuer, id: '1' } as const
    expect(await nameOf(caller, '192.0.2.1')).toBe(await nameOf({ ...caller }, '192.0.2.2'))
    expect(await nameOf(undefined, '192.0.2.1')).not.toBe(await nameOf(undefined, '192.0.2.2'))
    expect(await nameOf(undefined, '2001:db8::1')).toBe(await nameOf(undefined, '2001:db8::2'))
  })

  test.each(['', 'unknown', '192.0.2.1, 192.0.2.2', '2001:db8::1%eth0', 'x'.repeat(9_000)])(
    'is shared by requests without a readable address, such as %j',
    async (address) => {
      expect(await nameOf(undefined, address)).toBe(await nameOf(undefined))
    },
  )

  test('is that of the person, whatever client a token without a scope of the service has', async () => {
    const own = await nameOf({ kind: 'user', issuer, id: 'ann' })
    for (const id of ['app', 'ann']) {
      expect(await nameOf({ kind: 'client', issuer, id, subject: 'ann' })).toBe(own)
      expect(await nameOf({ kind: 'client', issuer, id })).not.toBe(own)
    }
  })

  test('belongs to no other caller, whatever the issuer and the id hold', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.constantFrom('', ':', '"', '","', '\\', '|', '\0', '\ud800', '\ufffd', 'local'),
      fc.string({ minLength: 155, maxLength: 165 }),
    )
    const caller = fc.record({
      kind: fc.constantFrom('user' as const, 'client' as const),
      issuer: text,
      id: text,
    })
    await fc.assert(
      fc.asyncProperty(caller, caller, async (one, other) => {
        fc.pre(one.kind !== other.kind || one.issuer !== other.issuer || one.id !== other.id)
        expect(await nameOf(one)).not.toBe(await nameOf(other))
      }),
      { numRuns: runs(1_000) },
    )
  })

  test('is another one under another current key, so that nobody without it can try addresses', async () => {
    const other = createBucketName(ringOf('new'))
    expect(await other(undefined, '192.0.2.1')).not.toBe(await nameOf(undefined, '192.0.2.1'))
  })

  test('is made once for a token, which most requests share', async () => {
    const sign = vi.spyOn(crypto.subtle, 'sign')
    const caller = { kind: 'user', issuer, id: 'busy' } as const
    const names = [await nameOf(caller), await nameOf(caller), await nameOf(caller)]
    expect(new Set(names).size).toBe(1)
    expect(sign).toHaveBeenCalledOnce()
    sign.mockRestore()
  })
})
