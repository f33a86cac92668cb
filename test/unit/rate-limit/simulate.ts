import type { Limits } from '../../../src/rate-limit/bucket.ts'
import { type Crash, createWorld, type Rule, rightRule } from './world.ts'

/** What a simulation has seen: all counts. */
export interface Simulation {
  readonly requests: number
  readonly admitted: number
  /** Admitted requests beyond burst + rate * time (contract, section 10). Must be 0. */
  readonly overAdmitted: number
  /** Evictions, restarts, replacements, and deaths in the middle of a request. */
  readonly crashes: number
  readonly admittedByZombies: number
  readonly writes: number
  /** Alarms that deleted what was stored. */
  readonly deletions: number
}

/** What to simulate. The same seed gives the same simulation. */
export interface SimulationOptions {
  readonly requests: number
  readonly seed?: number
  /** The rule of the bucket; that of the service if absent. */
  readonly rule?: Rule
}

const requestsPerWorld = 500

/**
 * Drives the bucket through random lives: limits of every size within the policy, isolates that ask
 * at once and may still reach instances long replaced, idle times, evictions, alarms at any time, and crashes
 * before and after a write.
 */
export function simulate({ requests, seed = 1, rule = rightRule }: SimulationOptions): Simulation {
  const random = generator(seed)
  const total = {
    requests: 0,
    admitted: 0,
    overAdmitted: 0,
    crashes: 0,
    admittedByZombies: 0,
    writes: 0,
    deletions: 0,
  }
  while (total.requests < requests) {
    const { tally } = live(random, Math.min(requestsPerWorld, requests - total.requests), rule)
    for (const name of Object.keys(total) as (keyof typeof total)[]) {
      total[name] += tally[name]
    }
  }
  return total
}

/** One object's life, from its first request to the last. */
function live(random: Random, requests: number, rule: Rule) {
  const limits = randomLimits(random)
  const world = createWorld(limits, rule)
  const isolates = Array.from({ length: 1 + below(random, 5) }, () => 0)
  const crashRate = random() ** 4
  let nowMs = 1_800_000_000_000
  while (world.tally.requests < requests) {
    nowMs += randomPauseMs(random, limits)
    if (random() < crashRate / 4) {
      world.restart(nowMs)
    }
    if (random() < crashRate / 4) {
      world.supersede(nowMs)
      // Some isolates follow at once; the others keep to the instance they know, if it still lives.
      for (const [index, age] of isolates.entries()) {
        isolates[index] = random() < 0.5 ? 0 : Math.min(age + 1, world.instances - 1)
      }
    }
    if (random() < 0.3) {
      world.alarm(nowMs)
    }
    const atOnce = Math.min(1 + below(random, limits.capacity), requests - world.tally.requests)
    for (let index = 0; index < atOnce; index += 1) {
      const instance = isolates[below(random, isolates.length)] ?? 0
      world.ask(instance, randomCost(random, limits), nowMs, randomCrash(random, crashRate))
    }
  }
  return world
}

function randomLimits(random: Random): Limits {
  const rate = 1 + below(random, random() < 0.5 ? 10 : 1_000)
  return { rate, capacity: 1 + below(random, Math.min(10 * rate, 200)) }
}

/** Mostly no pause or about the time of a token, and sometimes as long as an idle object stays in memory. */
function randomPauseMs(random: Random, { rate, capacity }: Limits): number {
  const longest = random() < 0.8 ? 3_000 / rate : (2_000 * capacity) / rate
  return random() < 0.2 ? 0 : below(random, Math.ceil(longest) + 1)
}

function randomCost(random: Random, { capacity }: Limits): number {
  return random() < 0.7 ? 1 : 1 + below(random, Math.min(capacity + 1, 11))
}

function randomCrash(random: Random, rate: number): Crash | undefined {
  if (random() > rate / 50) {
    return undefined
  }
  return random() < 0.5 ? 'before the write' : 'after the write'
}

type Random = () => number

/** A whole number from 0 to `limit` - 1. */
function below(random: Random, limit: number): number {
  return Math.floor(random() * limit)
}

/** Marsaglia's xorshift on 32 bits, as a number from 0 (inclusive) to 1 (exclusive). */
function generator(seed: number): Random {
  let state = seed | 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
