import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type Issuer,
  makeEmptyCheckout,
  type Runtime,
  startIssuer,
  startRuntime,
} from './runtime.ts'
import { type Entry, readAll, writeUntilGone } from './writers.ts'

/** A bucket that takes ten seconds to refill, the longest that is allowed, so that a refill by a restart shows. */
const limit = { burst: 300, rate: 30 }
const rounds = 2
const writers = 6

let folder: string
let issuer: Issuer
let runtime: Runtime | undefined

/** What was asked for in all rounds, and what was there in the end. */
const ledger: Entry[] = []
let kept: Awaited<ReturnType<typeof readAll>>

/** Tokens of one caller: left before the first kill, added by time until they were looked at again, left then. */
const tokens = { before: 0, added: 0, after: 0 }

beforeAll(async () => {
  folder = await makeEmptyCheckout()
  issuer = await startIssuer()
  const spender = await issuer.tokenFor('spender')

  let spentMs = 0
  for (let round = 1; round <= rounds; round++) {
    const { origin } = await start()
    if (round === 2) {
      tokens.after = await remaining(origin, spender)
      tokens.added = ((Date.now() - spentMs) / 1000) * limit.rate
    }
    const writing = Array.from({ length: writers }, async (_, index) =>
      writeUntilGone(origin, await issuer.tokenFor(`writer-${round}-${index}`), ledger),
    )
    await vi.waitFor(() => expect(acknowledged().length).toBeGreaterThan(round * 15), {
      timeout: 60_000,
      interval: 5,
    })
    if (round === 1) {
      const { left, sinceMs } = await spend(origin, spender)
      tokens.before = left
      spentMs = sinceMs
    }
    // The writers are in the middle of their work: none of them ends before.
    await kill()
    await Promise.all(writing)
  }
  kept = await readAll((await start()).origin, await issuer.tokenFor('reader'))
})

afterAll(async () => {
  await kill()
  issuer.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

async function start(): Promise<Runtime> {
  runtime = await startRuntime(folder, {
    ...issuer.vars,
    RATE_LIMIT_BURST_CAPACITY: String(limit.burst),
    RATE_LIMIT_REPLENISH_RATE: String(limit.rate),
  })
  return runtime
}

async function kill(): Promise<void> {
  await runtime?.kill()
  runtime = undefined
}

function acknowledged(): readonly Entry[] {
  return ledger.filter(({ id }) => id !== undefined)
}

/** Reads until most of the bucket is spent; the tokens that are left, at a time not before `sinceMs`. */
async function spend(origin: string, token: string): Promise<{ left: number; sinceMs: number }> {
  let left = limit.burst
  let sinceMs = Date.now()
  while (left > limit.burst / 3) {
    sinceMs = Date.now()
    const reads = Array.from({ length: 25 }, () => remaining(origin, token))
    left = Math.min(...(await Promise.all(reads)))
  }
  return { left, sinceMs }
}

/** Tokens left after a read, which costs one. */
async function remaining(origin: string, token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` }
  const response = await fetch(`${origin}/jsonapi/currencies`, { headers })
  await response.arrayBuffer()
  return Number(response.headers.get('X-RateLimit-Remaining'))
}

describe('A runtime that is killed during writes', () => {
  it('loses no write that was answered with success', () => {
    expect(acknowledged().length).toBeGreaterThan(rounds * 15)
    for (const entry of acknowledged()) {
      const user = kept.users.get(entry.email)
      expect(user?.id).toBe(entry.id)
      const version = Number(user?.attributes.fullName.replace('Name ', ''))
      expect(version).toBeGreaterThanOrEqual(entry.acknowledged)
      expect(version).toBeLessThanOrEqual(entry.sent)
    }
  })

  it('leaves no write half done, whether it was answered or not', () => {
    expect(kept.total).toBe(kept.users.size)
    const sent = new Set(ledger.map(({ email }) => email))
    for (const [email, { relationships }] of kept.users) {
      expect(sent).toContain(email)
      expect(relationships.citizenships.data.map(({ id }) => id)).toEqual(['NO', 'SE'])
      expect(relationships.placeOfBirth.data?.id).toBe('NO')
    }
  })

  it('does not refill a bucket (contract, section 10)', () => {
    // There is never more than was left and what time has added: a new bucket would hold far more.
    expect(tokens.after).toBeLessThanOrEqual(Math.ceil(tokens.before + tokens.added))
  })
})
