import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  blockedAmong,
  createCallerName,
  createCallerNames,
  isCallerName,
} from '../../../src/http/callers.ts'
import { parseKeyRing } from '../../../src/lib/key-ring.ts'
import type { RateLimiter } from '../../../src/rate-limit/client.ts'
import { article, insert, person } from '../db/second-domain/domain.ts'
import { openLimiter } from '../rate-limit/open.ts'
import { startService } from './service.ts'

const keys = { old: 'A'.repeat(43), new: `B${'A'.repeat(42)}` }
const ringOf = (current: keyof typeof keys, among: Partial<typeof keys> = keys) =>
  parseKeyRing(JSON.stringify({ current, keys: among }))
const callerOf = (kind: 'user' | 'client', id: string) =>
  ({ kind, issuer: 'https://issuer.example', id }) as const
const ann = callerOf('user', 'ann')

/** The block of callers by the names that they have while the old key is the current one. */
async function blocking(...callers: readonly (typeof ann | ReturnType<typeof callerOf>)[]) {
  const nameOf = createCallerName(ringOf('old'))
  return blockedAmong(ringOf('new'), new Set(await Promise.all(callers.map(nameOf))))
}

describe('The names of a caller in the log', () => {
  it('are one for each key of the ring, the one under the current key among them', async () => {
    const names = await createCallerNames(ringOf('new'))(ann)
    expect([...names.keys()]).toEqual(['old', 'new'])
    expect(names.get('old')).toBe(await createCallerName(ringOf('old'))(ann))
    expect(names.get('new')).toBe(await createCallerName(ringOf('new'))(ann))
    expect(names.get('old')).not.toBe(names.get('new'))
    expect([...names.values()].filter(isCallerName)).toHaveLength(2)
  })
})

describe('A block (contract, section 21)', () => {
  it('holds after the current key has changed, and for nobody else', async () => {
    const isBlocked = await blocking(ann)
    expect(await isBlocked?.({ ...ann })).toBe(true)
    expect(await isBlocked?.(callerOf('user', 'bob'))).toBe(false)
    expect(await isBlocked?.(callerOf('client', 'ann'))).toBe(false)
    expect(await isBlocked?.({ ...ann, issuer: 'https://other.example' })).toBe(false)
  })

  it('ends when the key of its name leaves the ring', async () => {
    const name = await createCallerName(ringOf('old'))(ann)
    const isBlocked = blockedAmong(ringOf('new', { new: keys.new }), new Set([name]))
    expect(await isBlocked?.(ann)).toBe(false)
  })

  it('of nobody is none, so that no request pays for it', () => {
    expect(blockedAmong(ringOf('new'), new Set())).toBeUndefined()
  })
})

describe('A request of a blocked caller (contract, section 21)', () => {
  let service: Awaited<ReturnType<typeof startService>>
  let asked: number

  beforeEach(async () => {
    asked = 0
    const limiter: RateLimiter = {
      recall(...args) {
        asked++
        return openLimiter.recall(...args)
      },
      ask(...args) {
        asked++
        return openLimiter.ask(...args)
      },
    }
    const isBlocked = await blocking(ann, callerOf('client', 'client'))
    service = await startService(undefined, { limiter, isBlocked })
    await insert(service.d1, 'people', person('p1'))
    await insert(service.d1, 'articles', article('a1', { author: 'p1' }))
    service.roundTrips.length = 0
  })

  it.each([
    ['GET', '/articles'],
    ['GET', '/articles/a1?include=author'],
    ['GET', '/articles/a1/relationships/author'],
    ['GET', '/articles?nothing=1'],
    ['DELETE', '/articles/a1'],
  ])('is a 403 at once, and asks neither the limiter nor D1: %s %s', async (method, path) => {
    for (const as of ['ann', 'client', 'ann'] as const) {
      const { status, document, headers } = await (method === 'GET'
        ? service.get(path, { as })
        : service.remove(path, undefined, { as }))
      expect([status, document.errors[0].code]).toEqual([403, 'INSUFFICIENT_ENTITLEMENTS'])
      expect(document.errors[0].source).toEqual({ header: 'Authorization' })
      // A scope would change nothing, and no bucket was asked.
      expect(headers.get('WWW-Authenticate')).toBeNull()
      expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
    }
    expect({ asked, roundTrips: service.roundTrips }).toEqual({ asked: 0, roundTrips: [] })
  })

  it.each([
    ['POST', '/articles', 'application/vnd.api+json'],
    ['PATCH', '/articles/a1', 'application/vnd.api+json'],
    ['POST', '/operations', 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'],
  ])('reads no byte of its body: %s %s', async (method, path, type) => {
    for (let turn = 0; turn < 2; turn++) {
      let pulls = 0
      const body = new ReadableStream(
        {
          pull() {
            pulls++
          },
        },
        { highWaterMark: 0 },
      )
      const { status } = await service.send(method, path, body, type)
      expect([status, pulls]).toEqual([403, 0])
    }
    expect({ asked, roundTrips: service.roundTrips }).toEqual({ asked: 0, roundTrips: [] })
  })

  it('comes after the checks of path, Accept and token', async () => {
    const statuses = await Promise.all([
      service.get('/nothing'),
      service.get('/articles', { headers: { Accept: 'text/html' } }),
      service.get('/articles', { headers: { Authorization: 'Bearer nobody' } }),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([404, 406, 401])
  })

  it('is nothing to other callers', async () => {
    expect((await service.get('/articles/a1', { as: 'bob' })).status).toBe(200)
    expect(asked).toBeGreaterThan(0)
  })

  it('has one line in the log for each token, and the next line counts the others', async () => {
    const log = vi.mocked(console.log)
    log.mockClear()
    for (let request = 0; request < 500; request++) {
      await service.get('/articles', { as: 'ann' })
      await service.get('/articles/a1', { as: 'ann' })
    }
    await service.get('/articles/a1', { as: 'bob' })
    expect(log.mock.calls.map(([line]) => JSON.parse(line))).toMatchObject([
      { event: 'request', operation: 'articles.list', status: 403 },
      { event: 'request', operation: 'articles.get', status: 200, untold: 999 },
    ])
  })
})
