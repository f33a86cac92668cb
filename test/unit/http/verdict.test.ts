import { describe, expect, it } from 'vitest'
import type { LimitVerdict } from '../../../src/rate-limit/bucket.ts'
import type { RateLimiter } from '../../../src/rate-limit/client.ts'
import { article, insert } from '../db/second-domain/domain.ts'
import { startService } from './service.ts'

/** A limiter that lets work start, and refuses or admits later. It records what it was asked for. */
function lateLimiter(allowed: boolean) {
  const asked: number[] = []
  const limiter: RateLimiter = {
    recall: () => undefined,
    ask(_, cost) {
      asked.push(cost)
      const waitMs = allowed ? 0 : 20
      const said: LimitVerdict = { capacity: 100, rate: 50, remaining: 7, cost, allowed, waitMs }
      const verdict = new Promise<LimitVerdict>((resolve) => setTimeout(() => resolve(said), 20))
      return { mayStart: true, verdict }
    },
  }
  return { asked, limiter }
}

/** What ends reads before the limiter answers, each with its status where the limiter admits the read. */
const reads: readonly [met: string, status: number, path: string][] = [
  ['its answer', 200, '/articles'],
  ['that nothing is there', 404, '/articles/none'],
  ['a parameter that is not taken', 400, '/articles?none=1'],
  ['an id that no store can keep', 400, '/articles/%00'],
]

describe('a refusal of the limiter goes before whatever a read has met (contract, sections 2 and 10)', () => {
  it.each(reads)('%s is %i, and 429 where the limiter refuses', async (_, status, path) => {
    for (const [allowed, expected] of [[true, status] as const, [false, 429] as const]) {
      const service = await startService(undefined, { limiter: lateLimiter(allowed).limiter })
      const answer = await service.get(path)
      expect(answer.status).toBe(expected)
      expect(answer.headers.get('X-RateLimit-Remaining')).toBe('7')
    }
  })

  it('a failure of the database is neither told nor logged', async () => {
    const broken = async () => {
      throw new Error('The database is gone')
    }
    const { limiter } = lateLimiter(false)
    const service = await startService(broken, { limiter })
    expect((await service.get('/articles')).status).toBe(429)
    expect(service.failures).not.toHaveBeenCalled()
  })
})

describe('the limiter (contract, sections 2 and 10)', () => {
  it('is waited for by a write before it asks the database', async () => {
    const service = await startService(undefined, lateLimiter(false))
    await insert(service.d1, 'articles', article('a'))
    expect((await service.remove('/articles/a')).status).toBe(429)
    expect(service.roundTrips).toEqual([])
  })

  it.each([
    [true, 401],
    [false, 429],
  ])(
    'is waited for by a refused token, which costs the least: admitted is %s and the answer %i',
    async (allowed, status) => {
      const { limiter, asked } = lateLimiter(allowed)
      const service = await startService(undefined, { limiter })
      // The price of the page would be 5.
      const answer = await service.get('/articles?page[limit]=100', { as: 'nobody' })
      expect(answer.status).toBe(status)
      expect(answer.headers.get('X-RateLimit-Remaining')).toBe('7')
      expect(asked).toEqual([1])
    },
  )
})

describe('an id in a path (contract, section 6)', () => {
  it.each([
    ['that is too long and holds NUL', `${'x'.repeat(65)}%00`],
    ['of broken encoding', '%E0%A4%A'],
    ['of broken encoding that is too long', `${'x'.repeat(65)}%ff`],
  ])('%s is told once', async (_, id) => {
    const { status, document } = await (await startService()).get(`/articles/${id}`)
    expect(status).toBe(400)
    expect(document.errors).toHaveLength(1)
    expect(document.errors).toMatchObject([
      { code: 'VALUE_INVALID_FORMAT', source: { path: 'id' } },
    ])
  })
})
