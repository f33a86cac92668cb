import { beforeEach, describe, expect, it } from 'vitest'
import { isCallerName } from '../../../src/http/callers.ts'
import type { RateLimiter } from '../../../src/rate-limit/client.ts'
import { article, insert, person } from '../db/second-domain/domain.ts'
import { openLimiter } from '../rate-limit/open.ts'
import { appOptions } from './app-options.ts'
import { startService } from './service.ts'

const { callerName } = appOptions
const callerOf = (kind: 'user' | 'client', id: string) =>
  ({ kind, issuer: 'https://issuer.example', id }) as const

describe('The name of a caller in the log', () => {
  it('tells kinds, ids and issuers apart, and holds none of them', async () => {
    const ann = callerOf('user', 'ann')
    const others = [callerOf('user', 'bob'), callerOf('client', 'ann'), { ...ann, issuer: 'other' }]
    const names = await Promise.all([ann, ...others].map(callerName))
    expect(new Set(names).size).toBe(4)
    expect(names.filter(isCallerName)).toHaveLength(4)
    expect(await callerName({ ...ann })).toBe(names[0])
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
    const blocked = [callerOf('user', 'ann'), callerOf('client', 'client')]
    const blockedCallers = new Set(await Promise.all(blocked.map(callerName)))
    service = await startService(undefined, { limiter, blockedCallers })
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
    ['POST', '/articles'],
  ])('is a 403 at once, and asks neither the limiter nor D1: %s %s', async (method, path) => {
    for (const as of ['ann', 'client', 'ann'] as const) {
      const { status, document, headers } = await service.call(method, path, { as })
      expect([status, document.errors[0].code]).toEqual([403, 'INSUFFICIENT_ENTITLEMENTS'])
      expect(document.errors[0].source).toEqual({ header: 'Authorization' })
      // A scope would change nothing, and no bucket was asked.
      expect(headers.get('WWW-Authenticate')).toBeNull()
      expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
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
})
