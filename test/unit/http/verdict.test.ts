import { describe, expect, it } from 'vitest'
import type { LimitVerdict } from '../../../src/rate-limit/bucket.ts'
import type { RateLimiter } from '../../../src/rate-limit/client.ts'
import { article, insert } from '../db/second-domain/domain.ts'
import { startService } from './service.ts'

/** A limiter that lets work start, and refuses or admits later. It records the prices. */
function lateLimiter(allowed: boolean) {
  const prices: number[] = []
  const limiter: RateLimiter = {
    recall: () => undefined,
    ask(_, cost) {
      prices.push(cost)
      const waitMs = allowed ? 0 : 20
      const said: LimitVerdict = { capacity: 100, rate: 50, remaining: 7, cost, allowed, waitMs }
      const verdict = new Promise<LimitVerdict>((resolve) => setTimeout(() => resolve(said), 20))
      return { mayStart: true, verdict }
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

it('a write waits for the limiter before it asks the database', async () => {
  const service = await startService(undefined, lateLimiter(false))
  await insert(service.d1, 'articles', article('a'))
  expect((await service.remove('/articles/a')).status).toBe(429)
  expect(service.roundTrips).toEqual([])
})

it.each([
  [true, 401],
  [false, 429],
])(
  'a refused token waits for the limiter: admitted is %s, the answer %i',
  async (allowed, status) => {
    const { limiter, prices } = lateLimiter(allowed)
    const { get } = await startService(undefined, { limiter })
    const answer = await get('/articles?page[limit]=100', { as: 'nobody' })
    expect([answer.status, answer.headers.get('X-RateLimit-Remaining')]).toEqual([status, '7'])
    expect(prices).toEqual([1])
  },
)

it('an invalid request costs the least price, and a valid one what it asks for', async () => {
  const { limiter, prices } = lateLimiter(true)
  const { get, patch } = await startService(undefined, { limiter })
  const expensive = 'include=author.follows&page[limit]=100'
  const people = Array.from({ length: 41 }, (_, n) => ({ type: 'people', id: `p${n}` }))
  const members = people.map((one) => ({ ...one, meta: { part: 'EDITOR' } }))
  await get(`/articles?${expensive}`)
  await get(`/articles?${expensive}&none=1`)
  await get(`/articles?${expensive}&${'x'.repeat(4_096)}`)
  await patch('/articles/a1/relationships/contributors', { data: members })
  await patch('/articles/a1/relationships/contributors', { data: people })
  expect(prices).toEqual([30, 1, 1, 15, 5])
})

it('a query string that is too long is told alone', async () => {
  const { post } = await startService()
  const headers = { 'Idempotency-Key': 'a b' }
  const reply = await post(`/articles?x=${'"'.repeat(1_365)}`, { data: 7 }, { headers })
  const detail = 'The query string has 4097 characters, but at most 4096 are allowed.'
  expect(reply.document.errors).toMatchObject([{ code: 'VALUE_INVALID_FORMAT', detail }])
  expect(reply.document.errors[0]).not.toHaveProperty('source')
})
