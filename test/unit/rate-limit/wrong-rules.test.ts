import { describe, expect, test } from 'vitest'
import type { Bucket, Ceiling } from '../../../src/rate-limit/bucket.ts'
import { simulate } from './simulate.ts'
import { type Rule, rightRule } from './world.ts'

const { take, restart } = rightRule

/** Rules that admit too much, each by one mistake that a programmer could make. */
const wrongRules: Readonly<Record<string, Partial<Rule>>> = {
  'begins a restart with a full bucket': {
    restart: (_, limits, nowMs) => restart(undefined, limits, nowMs),
  },
  'begins a restart at a ceiling that holds nothing': {
    restart: (ceiling, limits, nowMs) =>
      restart(ceiling && { ...ceiling, hold: { millitokens: 0, untilMs: 0 } }, limits, nowMs),
  },
  'reserves nothing for the instance that was replaced': {
    restart: (ceiling, limits, nowMs) => ({
      ...restart(ceiling, limits, nowMs),
      reserved: { millitokens: 0, untilMs: 0 },
    }),
  },
  'lets an instance spend when its ceiling has fallen': {
    take: (bucket, ...rest) => take(withCeiling(bucket, lasting), ...rest),
  },
  'lets time add to what may be spent under a ceiling': {
    take: (bucket, limits, cost, nowMs) => {
      const lease = Math.ceil(limits.capacity / 2) * 1_000
      const more = (nowMs - bucket.atMs) * limits.rate
      const aheadMillitokens = Math.min(lease, bucket.aheadMillitokens + more)
      return take({ ...bucket, aheadMillitokens }, limits, cost, nowMs)
    },
  },
  'stores a ceiling that is half as high as what may be spent': {
    take: (...given) => {
      const taken = take(...given)
      return taken.ceiling ? { ...taken, ceiling: halved(taken.ceiling) } : taken
    },
  },
  'lets the alarm delete a ceiling while it lasts': { fullFromMs: ({ atMs }) => atMs },
}

function withCeiling(bucket: Bucket, change: (ceiling: Ceiling) => Ceiling): Bucket {
  return bucket.ceiling ? { ...bucket, ceiling: change(bucket.ceiling) } : bucket
}

function lasting(ceiling: Ceiling): Ceiling {
  const { millitokens = 0, untilMs = 0 } = ceiling.hold ?? {}
  return { ...ceiling, hold: { millitokens, untilMs: untilMs + 60_000 } }
}

function halved(ceiling: Ceiling): Ceiling {
  return { ...ceiling, owedMillitokens: Math.floor(ceiling.owedMillitokens / 2) }
}

describe('the simulation that finds no token beyond burst + rate * time', () => {
  test.each(Object.entries(wrongRules))('finds some where the rule %s', (_, wrong) => {
    const seen = simulate({ requests: 200_000, rule: { ...rightRule, ...wrong } })
    expect(seen.overAdmitted).toBeGreaterThan(0)
  })
})
