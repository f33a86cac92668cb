import { describe, expect, test } from 'vitest'
import { objectRulesFrom, rateLimitFrom } from '../../../src/rate-limit/policy.ts'

describe('the numbers of the limiter (contract, section 10)', () => {
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
    'are integers from 1 to 2147483647, so that %j is refused with the name of its variable',
    (text) => {
      expect(() => rateLimitFrom({ RATE_LIMIT_WRITE_COST: text })).toThrow(
        new Error(`RATE_LIMIT_WRITE_COST must be an integer from 1 to 2147483647, not "${text}"`),
      )
    },
  )

  test('are told all that are wrong', () => {
    const vars = { RATE_LIMIT_BURST_CAPACITY: 'abc', RATE_LIMIT_READ_COST: '0' }
    expect(() => rateLimitFrom(vars)).toThrow(
      new Error(
        'RATE_LIMIT_BURST_CAPACITY must be an integer from 1 to 2147483647, not "abc"; RATE_LIMIT_READ_COST must be an integer from 1 to 2147483647, not "0"',
      ),
    )
  })

  test('let a full bucket pay for the cheapest read', () => {
    expect(rateLimitFrom({ RATE_LIMIT_READ_COST: '100' })).toMatchObject({ readCost: 100 })
    expect(() => rateLimitFrom({ RATE_LIMIT_READ_COST: '101' })).toThrow(
      new Error('RATE_LIMIT_READ_COST (101) must be at most RATE_LIMIT_BURST_CAPACITY (100)'),
    )
  })

  test.each([1, 2_147_483_647])('can be %d', (number) => {
    expect(rateLimitFrom({ RATE_LIMIT_WRITE_COST: String(number) }).writeCost).toBe(number)
  })

  test('must fill the bucket within 10 s', () => {
    expect(rateLimitFrom({ RATE_LIMIT_BURST_CAPACITY: '500' }).capacity).toBe(500)
    expect(() => rateLimitFrom({ RATE_LIMIT_BURST_CAPACITY: '501' })).toThrow(
      'RATE_LIMIT_BURST_CAPACITY (501) must be at most 10 times RATE_LIMIT_REPLENISH_RATE (50)',
    )
  })
})

describe('a question to an object of the limiter (contract, section 10)', () => {
  test('has 250 ms, 1 s for a first contact, and no jurisdiction where nothing is configured', () => {
    expect(objectRulesFrom({})).toEqual({ deadlines: { deadlineMs: 250, firstDeadlineMs: 1_000 } })
  })

  test('can be configured in each of these', () => {
    expect(
      objectRulesFrom({
        RATE_LIMIT_DEADLINE_MS: '100',
        RATE_LIMIT_FIRST_DEADLINE_MS: '100',
        RATE_LIMIT_JURISDICTION: 'eu',
      }),
    ).toEqual({ deadlines: { deadlineMs: 100, firstDeadlineMs: 100 }, jurisdiction: 'eu' })
  })

  test.each(['eu', 'fedramp', 'fedramp-high', 'us'])(
    'can be restricted to the jurisdiction %s',
    (name) => {
      expect(objectRulesFrom({ RATE_LIMIT_JURISDICTION: name }).jurisdiction).toBe(name)
    },
  )

  test.each(['', 'EU', 'de', 'toString'])(
    'cannot be restricted to %j, which is not a jurisdiction',
    (name) => {
      expect(() => objectRulesFrom({ RATE_LIMIT_JURISDICTION: name })).toThrow(
        new Error(
          `RATE_LIMIT_JURISDICTION must be absent or one of eu, fedramp, fedramp-high, us, not "${name}"`,
        ),
      )
    },
  )

  test.each(['RATE_LIMIT_DEADLINE_MS', 'RATE_LIMIT_FIRST_DEADLINE_MS'])(
    'needs a number of milliseconds in %s',
    (name) => {
      for (const text of ['', '0', '-1', '1.5', 'soon', '2147483648']) {
        expect(() => objectRulesFrom({ [name]: text })).toThrow(
          new Error(`${name} must be an integer from 1 to 2147483647, not "${text}"`),
        )
      }
    },
  )

  test('has at least as much time at a first contact as later', () => {
    expect(() => objectRulesFrom({ RATE_LIMIT_DEADLINE_MS: '1001' })).toThrow(
      new Error(
        'RATE_LIMIT_FIRST_DEADLINE_MS (1000) must be at least RATE_LIMIT_DEADLINE_MS (1001)',
      ),
    )
  })
})
