import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { parseKeyRing } from '../../../src/lib/key-ring.ts'
import { createBucketNames, networkOf } from '../../../src/rate-limit/name.ts'
import { anyText } from '../../support/texts.ts'
import { runs } from '../runs.ts'

const issuer = 'https://auth.example.com'
const keys = { old: 'A'.repeat(43), new: `B${'A'.repeat(42)}` }
const ringOf = (current: keyof typeof keys) => parseKeyRing(JSON.stringify({ current, keys }))
const { ofCaller, ofAddress } = createBucketNames(ringOf('old'))

describe('the name of the bucket of a caller (contract, section 10)', () => {
  test.each([
    ['a person', ofCaller({ kind: 'user', issuer, id: 'somebody' })],
    ['a client', ofCaller({ kind: 'client', issuer, id: 'somebody' })],
    ['an address', ofAddress('192.0.2.1')],
    ['nobody', ofAddress(undefined)],
    ['somebody with a long id', ofCaller({ kind: 'user', issuer, id: 'x'.repeat(600) })],
  ] as const)('is 43 characters that tell nothing of %s', async (_, name) => {
    expect(await name).toMatch(/^[\w-]{43}$/)
  })

  test('is the same for another token of the same caller, and after a restart', async () => {
    const caller = { kind: 'user', issuer, id: '1' } as const
    const name = await ofCaller(caller)
    expect(await ofCaller({ ...caller })).toBe(name)
    expect(await createBucketNames(ringOf('old')).ofCaller(caller)).toBe(name)
  })

  test('is that of the network where there is no caller', async () => {
    expect(await ofAddress('192.0.2.1')).not.toBe(await ofAddress('192.0.2.2'))
    expect(await ofAddress('2001:db8::1')).toBe(await ofAddress('2001:db8::2'))
  })

  test.each(['', 'unknown', '192.0.2.1, 192.0.2.2', '2001:db8::1%eth0', 'x'.repeat(9_000)])(
    'is shared by requests without a readable address, such as %j',
    async (address) => {
      expect(await ofAddress(address)).toBe(await ofAddress(undefined))
    },
  )

  test('is that of the person, whatever client a token without a scope of the service has', async () => {
    const own = await ofCaller({ kind: 'user', issuer, id: 'ann' })
    for (const id of ['app', 'ann']) {
      expect(await ofCaller({ kind: 'client', issuer, id, subject: 'ann' })).toBe(own)
      expect(await ofCaller({ kind: 'client', issuer, id })).not.toBe(own)
    }
  })

  test('belongs to no other caller, whatever the issuer and the id hold', async () => {
    const text = fc.oneof(
      anyText({ maxLength: 5 }),
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
        expect(await ofCaller(one)).not.toBe(await ofCaller(other))
      }),
      { numRuns: runs(1_000) },
    )
  })

  test('is another one under another current key, so that nobody without it can try addresses', async () => {
    const other = createBucketNames(ringOf('new'))
    expect(await other.ofAddress('192.0.2.1')).not.toBe(await ofAddress('192.0.2.1'))
  })

  test('is made once for a token, which most requests share', async () => {
    const sign = vi.spyOn(crypto.subtle, 'sign')
    const caller = { kind: 'user', issuer, id: 'busy' } as const
    const names = [await ofCaller(caller), await ofCaller(caller), await ofCaller(caller)]
    expect(new Set(names).size).toBe(1)
    expect(sign).toHaveBeenCalledOnce()
    sign.mockRestore()
  })
})

describe('the network of an address (contract, section 10: /64 for IPv6)', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['255.255.255.255', '255.255.255.255'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::2:3:4:5', '2001:db8:0:0::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['1::4:5:6:7:8', '1:0:0:4::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  test.each(['::ffff:192.0.2.1', '::FFFF:c000:0201', '0:0:0:0:0:ffff:192.0.2.1'])(
    'of the IPv4-mapped address %s is the IPv4 address',
    (address) => {
      expect(networkOf(address)).toBe('192.0.2.1')
    },
  )

  test.each([
    '',
    'localhost',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.1:80',
    '1:2:3',
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    ':::',
    '[::1]',
    '::1]/[',
    'x]@[::1',
    'face',
  ])('is absent for %j, which is not an address', (address) => {
    expect(networkOf(address)).toBeUndefined()
  })
})
