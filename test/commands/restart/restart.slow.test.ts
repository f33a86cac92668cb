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

const rounds = 2
const writers = 6

let folder: string
let issuer: Issuer
let runtime: Runtime | undefined

/** What was asked for in all rounds, and what was there in the end. */
const ledger: Entry[] = []
let kept: Awaited<ReturnType<typeof readAll>>

beforeAll(async () => {
  folder = await makeEmptyCheckout()
  issuer = await startIssuer()
  for (let round = 1; round <= rounds; round++) {
    const { origin } = await start()
    const writing = Array.from({ length: writers }, async (_, index) =>
      writeUntilGone(origin, await issuer.tokenFor(`writer-${round}-${index}`), ledger),
    )
    await vi.waitFor(() => expect(acknowledged().length).toBeGreaterThan(round * 15), {
      timeout: 60_000,
      interval: 5,
    })
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
  runtime = await startRuntime(folder, issuer.vars)
  return runtime
}

async function kill(): Promise<void> {
  await runtime?.kill()
  runtime = undefined
}

function acknowledged(): readonly Entry[] {
  return ledger.filter(({ id }) => id !== undefined)
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
})
