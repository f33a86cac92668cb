import { describe, expect, test } from 'vitest'
import { createNames, type Identity, networkOf } from '../../../src/auth/names.ts'
import { parseKeyRing } from '../../../src/lib/key-ring.ts'

const keys = { old: 'A'.repeat(43), new: `B${'A'.repeat(42)}` }
const ringOf = (current: keyof typeof keys) => parseKeyRing(JSON.stringify({ current, keys }))
const { ofCaller: namesOf, ofAddress } = createNames(ringOf('old'))
const ofCaller = async (caller: Identity) => (await namesOf(caller)).bucket

// A name is a signature, which test/unit/lib/key-ring.test.ts shows; test/http/api/rate-limit.test.ts, that it is one for all tokens.
describe('the name of a bucket', () => {
  test('belongs to no other caller, whatever the issuer and the id hold', async () => {
    const caller = (issuer: string, id: string, kind: Identity['kind'] = 'user') =>
      ofCaller({ kind, issuer, id })
    const names = await Promise.all([
      ...[caller('a', 'b'), caller('a', 'b', 'client'), caller('b', 'a'), caller('', 'ab')],
      ...[caller('ab', ''), caller('a","b', ''), caller('a', '","b'), caller('a:', 'b')],
      ...[caller('a', ':b'), caller('a\0', 'b'), caller('a', '\0b'), caller('a', '\\"b')],
      ...[caller('a', '\ud800'), caller('a', '\udfff'), caller('a', '\ufffd')],
    ])
    expect(new Set(names).size).toBe(names.length)
  })

  test('depends on the current key, so that nobody without it can try addresses', async () => {
    const other = createNames(ringOf('new'))
    expect(await other.ofAddress('192.0.2.1')).not.toBe(await ofAddress('192.0.2.1'))
  })
})

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
])('the network that is charged for the address %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
