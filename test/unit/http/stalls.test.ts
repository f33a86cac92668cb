import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { d1Store } from '../../../src/db/store.ts'
import { createRateLimiter } from '../../../src/rate-limit/client.ts'
import { defaultDeadlines, defaultRateLimit } from '../../../src/rate-limit/policy.ts'
import { advance, useFakeClock } from '../db/hanging.ts'
import { openDomain } from '../db/second-domain/domain.ts'
import { registry } from '../db/second-domain/registry.ts'
import { storeOptions } from '../db/store-options.ts'
import { appOptions } from './app-options.ts'

useFakeClock()

const requests = 1_000

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** A service whose database answers nothing from a moment on. What hangs is held by the database alone. */
async function startService() {
  vi.spyOn(console, 'log').mockReturnValue()
  vi.spyOn(console, 'error').mockReturnValue()
  const held: unknown[] = []
  let hangs = false
  let asked = 0
  const domain = await openDomain((_, run) =>
    hangs ? new Promise((resolve) => held.push(resolve)) : run(),
  )
  const app = createApp({
    ...appOptions,
    limiter: createRateLimiter({
      ask: async () => {
        asked++
        return '100 50 99 0'
      },
      deadlines: defaultDeadlines,
      limits: defaultRateLimit,
      onDegraded: (error) => {
        throw error
      },
    }),
    registry,
    store: d1Store({ ...storeOptions, registry, db: domain.db, cipher: domain.cipher }),
    verify: () => ({
      kind: 'user',
      issuer: 'https://issuer.example',
      id: 'ann',
      scopes: new Set(['articles.read']),
    }),
  })
  return {
    held,
    roundTrips: domain.roundTrips,
    asked: () => asked,
    hang: () => {
      hangs = true
    },
    get: (path: string) => {
      const headers = { Authorization: 'Bearer ann' }
      const request = new Request(`http://service.example${path}`, { headers })
      return { request, response: Promise.resolve(app.fetch(request)) }
    },
  }
}

describe('a database that stalls (contract, section 14)', () => {
  it('delays no request that is answered from memory, while a thousand reads wait for it', async () => {
    const { get, hang, held, roundTrips, asked } = await startService()
    expect((await get('/tags').response).status).toBe(200)
    hang()
    const before = { roundTrips: roundTrips.length, asked: asked() }
    const waiting = Array.from({ length: requests }, () => get('/articles').response)
    const answered = await Promise.all(
      Array.from({ length: 100 }, async () => (await get('/tags').response).status),
    )
    // The clock stands still: none of them has waited.
    expect(answered).toEqual(Array(100).fill(200))
    await advance(0)
    expect(held).toHaveLength(requests)
    expect(roundTrips).toHaveLength(before.roundTrips + requests)
    expect(asked() - before.asked).toBe(requests + 100)

    await advance(storeOptions.deadlineMs)
    const statuses = (await Promise.all(waiting)).map(({ status }) => status)
    expect(statuses).toEqual(Array(requests).fill(500))
  })

  it('leaves nothing behind after the deadline: no timer, and no request or answer in memory', async () => {
    const { get, hang, held } = await startService()
    hang()
    const things: WeakRef<object>[] = []
    const send = async (): Promise<number> => {
      const { request, response } = get('/articles')
      things.push(new WeakRef(request))
      const answer = await response
      things.push(new WeakRef(answer))
      return answer.status
    }
    const waiting = Array.from({ length: requests }, send)
    await advance(0)
    collectGarbage()
    // Nothing is gone while it is needed, so that what is gone later says something.
    expect(things.filter((thing) => thing.deref())).toHaveLength(requests)
    await advance(storeOptions.deadlineMs)
    expect(await Promise.all(waiting)).toEqual(Array(requests).fill(500))
    expect(vi.getTimerCount()).toBe(0)
    waiting.length = 0
    await advance(0)
    collectGarbage()
    // The database holds its calls for ever, and yet they hold nothing of their requests.
    expect(held).toHaveLength(requests)
    expect(things).toHaveLength(2 * requests)
    expect(things.filter((thing) => thing.deref()).length).toBeLessThan(requests / 100)
  })
})
