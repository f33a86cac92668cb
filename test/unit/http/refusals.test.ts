import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Bucket, fullBucket, type Limits, take } from '../../../src/rate-limit/bucket.ts'
import { createRateLimiter, type RateLimiter } from '../../../src/rate-limit/client.ts'
import { article, insert, person } from '../db/second-domain/domain.ts'
import { startService } from './service.ts'

const limits = { capacity: 100, rate: 50, deadlineMs: 500 }

const refused = 1_000

/** Lets everything else that is due happen first, as a round trip over a network does. */
const soon = () => new Promise<void>((resolve) => setImmediate(resolve))

/**
 * The limiter of one isolate in front of an object.
 *
 * @param answers delays the object, or makes it fail
 * @param spent tokens that other isolates have taken, unknown to this one
 */
function limiterOn(bucketOf: Limits, answers = soon, spent = 0): RateLimiter {
  let bucket: Bucket | undefined
  return createRateLimiter({
    limit: { ...bucketOf, deadlineMs: 500 },
    onDegraded() {},
    async ask(_, cost) {
      const nowMs = Date.now()
      bucket ??= take(fullBucket(bucketOf, nowMs), bucketOf, spent, nowMs)
      const taken = take(bucket, bucketOf, cost, nowMs)
      bucket = taken
      await answers()
      return taken
    },
  })
}

const fail = async () => {
  await soon()
  throw new Error('The object fails')
}

describe('what refused requests cost the database', () => {
  let service: Awaited<ReturnType<typeof startService>>

  const start = async (limiter: RateLimiter, around?: () => Promise<void>) => {
    service = await startService(
      async (_, run) => {
        await around?.()
        await run()
      },
      { limiter },
    )
    await insert(service.d1, 'people', person('p1'), person('p2'))
    await insert(service.d1, 'articles', article('a1', { author: 'p1' }))
    await insert(service.d1, 'follows', { follower: 'p1', followed: 'p2' })
  }

  beforeEach(async () => {
    // The clock stands still unless a test moves it, so that no bucket fills on a slow machine.
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    await start(limiterOn(limits), soon)
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it.each([
    ['the object answers', soon],
    ['the object fails', fail],
  ])(
    'refused reads of one caller, 50 at a time, cost at most 50 statements more than the admitted ones: %s',
    async (_, answers) => {
      await start(limiterOn(limits, answers), soon)
      const statuses: number[] = []
      let sent = 0
      const send = async (): Promise<void> => {
        while (statuses.filter((status) => status === 429).length < refused && sent < 3 * refused) {
          sent++
          vi.setSystemTime(Date.now() + 1)
          statuses.push((await service.get('/articles')).status)
        }
      }
      await Promise.all(Array.from({ length: 50 }, send))
      const count = (wanted: number) => statuses.filter((status) => status === wanted).length
      expect(count(429)).toBeGreaterThanOrEqual(refused)
      expect(count(200)).toBeGreaterThanOrEqual(100)
      expect(count(200) + count(429)).toBe(statuses.length)
      const statements = service.roundTrips.flat().length
      expect(statements).toBeGreaterThanOrEqual(count(200))
      expect(statements - count(200)).toBeLessThanOrEqual(50)
    },
    60_000,
  )

  it('a burst of expensive reads at once starts no more of them than the bucket may hold', async () => {
    const path = '/articles?page[limit]=100&include=contributors'
    const answers = await Promise.all(Array.from({ length: 100 }, () => service.get(path)))
    const admitted = answers.filter(({ status }) => status === 200).length
    // 25 tokens each.
    expect(admitted).toBe(4)
    expect(service.roundTrips.length).toBeLessThanOrEqual(4)
  })

  it('a remembered refusal ends a request before its query or its body is read', async () => {
    await start(limiterOn({ capacity: 5, rate: 1 }))
    await service.post('/articles', {})
    expect((await service.post('/articles', {})).status).toBe(429)
    service.roundTrips.length = 0
    for (const path of ['/articles?nothing=1', '/articles/a1?include=author']) {
      expect((await service.get(path)).status).toBe(429)
    }
    const body = new ReadableStream({
      pull() {
        throw new Error('Nobody may read this')
      },
    })
    expect((await service.send('POST', '/articles', body)).status).toBe(429)
    expect(service.roundTrips).toEqual([])
    expect(service.failures).not.toHaveBeenCalled()
  })

  it('a refusal that arrives while the first level is read stops the further levels', async () => {
    let refuse: () => void = () => {}
    const arrival = new Promise<void>((resolve) => {
      refuse = resolve
    })
    // The object refuses, but its answer comes only while the first level is read.
    await start(
      limiterOn(limits, () => arrival, limits.capacity),
      async () => refuse(),
    )
    const { status } = await service.get('/articles/a1?include=author.follows.follows')
    expect(status).toBe(429)
    expect(service.roundTrips).toHaveLength(1)
  })
})
