import { describe, expect, test } from 'vitest'
import { networkOf } from '../../../src/rate-limit/name.ts'

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
