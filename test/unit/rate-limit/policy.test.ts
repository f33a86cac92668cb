import { describe, expect, test } from 'vitest'
import { readVariables } from '../../../src/lib/variables.ts'
import { rateLimitFrom, rateLimitVariables } from '../../../src/rate-limit/policy.ts'

/** Reads the limits with one variable. */
const withVariable = (name: string, value: string) => () =>
  rateLimitFrom(readVariables(rateLimitVariables, { [name]: value }))

describe('the configuration of the limiter', () => {
  test('has a default of all but the jurisdiction, and a variable for each', () => {
    expect(rateLimitFrom({})).toEqual({
      capacity: 100,
      rate: 50,
      readCost: 1,
      writeCost: 5,
      deadlineMs: 500,
    })
    const vars = readVariables(rateLimitVariables, {
      RATE_LIMIT_BURST_CAPACITY: '7',
      RATE_LIMIT_REPLENISH_RATE: '3',
      RATE_LIMIT_READ_COST: '2',
      RATE_LIMIT_WRITE_COST: '4',
      RATE_LIMIT_DEADLINE_MS: '100',
      RATE_LIMIT_JURISDICTION: 'eu',
    })
    expect(Object.values(rateLimitFrom(vars))).toEqual([7, 3, 2, 4, 100, 'eu'])
  })

  test.each(['', '0', '-1', '1.5', 'many', '1000000000'])(
    'refuses %j, which is not a number from 1 to 999999999',
    (value) => {
      expect(withVariable('RATE_LIMIT_WRITE_COST', value)).toThrow(
        `RATE_LIMIT_WRITE_COST must be a whole number from 1 to 999999999, not "${value}"`,
      )
    },
  )

  test('demands that an empty bucket is full within ten seconds: an idle object loses nothing then', () => {
    expect(withVariable('RATE_LIMIT_BURST_CAPACITY', '500')()).toMatchObject({ capacity: 500 })
    expect(withVariable('RATE_LIMIT_BURST_CAPACITY', '501')).toThrow(
      'RATE_LIMIT_BURST_CAPACITY must be at most 10 times RATE_LIMIT_REPLENISH_RATE',
    )
  })

  test('demands that a full bucket can pay the cheapest read', () => {
    expect(withVariable('RATE_LIMIT_READ_COST', '100')()).toMatchObject({ readCost: 100 })
    expect(withVariable('RATE_LIMIT_READ_COST', '101')).toThrow(
      'RATE_LIMIT_READ_COST must be at most RATE_LIMIT_BURST_CAPACITY',
    )
  })
})
