import { describe, expect, it } from 'vitest'
import type { LimitVerdict } from '../../../src/rate-limit/bucket.ts'
import type { RateLimiter } from '../../../src/rate-limit/client.ts'
import { article, insert, person } from '../db/second-domain/domain.ts'
import { startService } from './service.ts'

const said: LimitVerdict = {
  capacity: 100,
  rate: 50,
  remaining: 7,
  cost: 1,
  allowed: false,
  waitMs: 20,
}

/** A limiter that refuses or admits after some time, and records the prices. */
function lateLimiter(allowed: boolean, mayStart = true) {
  const prices: number[] = []
  const limiter: RateLimiter = {
    recall: () => undefined,
    ask(_, cost) {
      prices.push(cost)
      const verdict = new Promise<LimitVerdict>((resolve) =>
        setTimeout(() => resolve({ ...said, cost, allowed }), 20),
      )
      return { mayStart, verdict }
    },
  }
  return { prices, limiter }
}

describe('a refusal of the limiter replaces whatever a read has come to', () => {
  it.each([
    ['its answer', 200, '/articles'],
    ['that nothing is there', 404, '/articles/none'],
    ['a parameter that is not accepted', 400, '/articles?none=1'],
    ['an id that cannot be stored', 400, '/articles/%00'],
  ])('%s is %i, and 429 if the limiter refuses', async (_, status, path) => {
    for (const [allowed, expected] of [[true, status] as const, [false, 429] as const]) {
      const { get } = await startService(undefined, lateLimiter(allowed))
      const answer = await get(path)
      expect(answer.status).toBe(expected)
      expect(answer.headers.get('X-RateLimit-Remaining')).toBe('7')
    }
  })

  it('a failure of the database is neither told nor logged', async () => {
    const broken = async () => {
      throw new Error('The database is gone')
    }
    const service = await startService(broken, lateLimiter(false))
    expect((await service.get('/articles')).status).toBe(429)
    expect(service.failures).not.toHaveBeenCalled()
  })
})

it('a write, and a read that may not start, wait for the limiter before they ask the database', async () => {
  const service = await startService(undefined, lateLimiter(false, false))
  expect((await service.get('/articles')).status).toBe(429)
  const writing = await startService(undefined, lateLimiter(false))
  expect((await writing.remove('/articles/a')).status).toBe(429)
  expect([service.roundTrips, writing.roundTrips]).toEqual([[], []])
})

it('a refusal that arrives while the first level is read stops the further levels', async () => {
  const { promise, resolve } = Promise.withResolvers<LimitVerdict>()
  const limiter: RateLimiter = {
    recall: () => undefined,
    ask: () => ({ mayStart: true, verdict: promise }),
  }
  const service = await startService(
    async (_, run) => {
      resolve(said)
      await run()
    },
    { limiter },
  )
  await insert(service.d1, 'people', person('p1'), person('p2'))
  await insert(service.d1, 'articles', article('a1', { author: 'p1' }))
  await insert(service.d1, 'follows', { follower: 'p1', followed: 'p2' })
  const { status } = await service.get('/articles/a1?include=author.follows.follows')
  expect(status).toBe(429)
  expect(service.roundTrips).toHaveLength(1)
})

it('a remembered refusal ends a request before its query or its body is read', async () => {
  const { prices, limiter } = lateLimiter(true)
  const service = await startService(undefined, { limiter: { ...limiter, recall: () => said } })
  const body = new ReadableStream({
    pull() {
      throw new Error('Nobody may read this')
    },
  })
  expect((await service.get('/articles?nothing=1')).status).toBe(429)
  expect((await service.postStream('/articles', body)).status).toBe(429)
  expect([prices, service.roundTrips]).toEqual([[], []])
  expect(service.failures).not.toHaveBeenCalled()
})
