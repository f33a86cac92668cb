import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseKeyRing } from '../../../src/lib/key-ring.ts'
import { createNames, type Identity, networkOf } from '../../../src/rate-limit/name.ts'
import { anyText } from '../../support/texts.ts'

const keys = { old: 'A'.repeat(43), new: `B${'A'.repeat(42)}` }
const ringOf = (current: keyof typeof keys) => parseKeyRing(JSON.stringify({ current, keys }))
const { ofCaller: namesOf, ofAddress } = createNames(ringOf('old'))
const ofCaller = async (caller: Identity) => (await namesOf(caller)).bucket

// A name is a signature, which test/unit/lib/key-ring.test.ts shows; test/http/api/rate-limit.test.ts, that it is one for all tokens.
describe('the name of a bucket', () => {
  test('belongs to no other caller, whatever the issuer and the id hold', async () => {
    const text = fc.oneof(
      anyText({ maxLength: 5 }),
      fc.constantFrom('', ':', '"', '","', '\\', '\0', '\ud800', '\ufffd', 'local'),
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
    )
  })

  test('depends on the current key, so that nobody without it can try addresses', async () => {
    const other = createNames(ringOf('new'))
    expect(await other.ofAddress('192.0.2.1')).not.toBe(await ofAddress('192.0.2.1'))
  })
})

describe('the network that is charged for an address', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '::ffff:c000:201'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['1::4:5:6:7:8', '1:0:0:4::/64'],
    ['::1', '0:0:0:0::/64'],
    ['not an address', 'not an address'],
    ['neither:is:this', 'neither:is:this'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
