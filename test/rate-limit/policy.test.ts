import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bucketKey,
  defaultRateLimit,
  rateLimitFrom,
  rateLimitProblem,
} from '../../src/rate-limit/policy.ts'

describe('the numbers (contract, section 10)', () => {
  test('are burst 100, replenish 50, read 1 and write 5 where nothing is configured', () => {
    expect(rateLimitFrom({})).toEqual({ capacity: 100, rate: 50, readCost: 1, writeCost: 5 })
  })

  test('are all four configurable', () => {
    expect(
      rateLimitFrom({
        RATE_LIMIT_BURST_CAPACITY: '7',
        RATE_LIMIT_REPLENISH_RATE: '3',
        RATE_LIMIT_READ_COST: '2',
        RATE_LIMIT_WRITE_COST: '4',
      }),
    ).toEqual({ capacity: 7, rate: 3, readCost: 2, writeCost: 4 })
  })

  test.each(['', '0', '-1', '1.5', 'many', 'Infinity', '2147483648'])(
    'are integers from 1 to 2147483647: %j is refused by the name of its variable',
    (text) => {
      expect(() => rateLimitFrom({ RATE_LIMIT_WRITE_COST: text })).toThrow(
        /^RATE_LIMIT_WRITE_COST must be an integer from 1 to 2147483647, not /,
      )
    },
  )

  test.each([1, 2_147_483_647])('may be %d', (number) => {
    expect(rateLimitFrom({ RATE_LIMIT_WRITE_COST: String(number) }).writeCost).toBe(number)
  })

  test('fill the bucket within 10 s', () => {
    expect(rateLimitProblem({ ...defaultRateLimit, capacity: 500 })).toBeUndefined()
    expect(rateLimitProblem({ ...defaultRateLimit, capacity: 501 })).toBe(
      'RATE_LIMIT_BURST_CAPACITY (501) must be at most 10 times RATE_LIMIT_REPLENISH_RATE (50)',
    )
  })
})

describe('the bucket of a caller (contract, section 10)', () => {
  const issuer = 'https://auth.example.com'

  test('is the person’s, the client’s, or else the address’s', async () => {
    expect(await bucketKey({ kind: 'user', issuer, id: '1' }, '192.0.2.1')).toBe(
      'user:["https://auth.example.com","1"]',
    )
    expect(await bucketKey({ kind: 'client', issuer, id: '1' }, '192.0.2.1')).toBe(
      'client:["https://auth.example.com","1"]',
    )
    expect(await bucketKey(undefined, '192.0.2.1')).toBe('address:192.0.2.1')
  })

  test.each([
    undefined,
    '',
    'unknown',
    '192.0.2.1, 192.0.2.2',
    '2001:db8::1%eth0',
    'x'.repeat(9_000),
  ])('is shared by those without a readable address: %j', async (address) => {
    expect(await bucketKey(undefined, address)).toBe('address:local')
  })

  test('is nobody else’s, whatever the issuer and the id hold', async () => {
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
        expect(await bucketKey(one)).not.toBe(await bucketKey(other))
      }),
      { numRuns: 3_000 },
    )
  })

  test('has a name below 512 bytes, and the same one each time', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 600 })
    await fc.assert(
      fc.asyncProperty(text, text, async (issuer, id) => {
        const key = await bucketKey({ kind: 'client', issuer, id })
        expect(new TextEncoder().encode(key).length).toBeLessThan(512)
        expect(await bucketKey({ kind: 'client', issuer, id })).toBe(key)
      }),
    )
  })

  test('has a hashed name only where the plain one would be long', async () => {
    const longest = 'x'.repeat(160 - JSON.stringify([issuer, '']).length)
    const plain = await bucketKey({ kind: 'user', issuer, id: longest })
    expect(plain).toBe(`user:${JSON.stringify([issuer, longest])}`)
    for (const id of [`${longest}x`, 'x'.repeat(500)]) {
      expect(await bucketKey({ kind: 'user', issuer, id })).toMatch(/^user:[\da-f]{64}$/)
    }
  })
})
