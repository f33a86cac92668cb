import { describe, expect, it } from 'vitest'
import {
  type Answer,
  client,
  get,
  person,
  request,
  slowService,
  uniquePerson,
  uniqueSubject,
} from '../../support/service.ts'
import { atOnce, figuresOf } from '../../support/throttled.ts'

describe('the four headers of the rate limit', () => {
  const any = { headers: { 'if-none-match': '*' } }
  const body = { data: Array(21).fill({ type: 'countries', id: 'NO' }) }
  const linkage = '/jsonapi/users/1/relationships/citizenships'

  it.each<[name: string, cost: number, send: (token: string) => Promise<Answer>]>([
    ['200', 1, (token) => get('/countries', token)],
    ['304', 1, (token) => get('/countries', token, any)],
    ['200 of HEAD', 1, (token) => request('HEAD', '/jsonapi/users', { token })],
    [
      '403 of a write with 21 identifiers',
      10,
      (token) => request('POST', linkage, { token, body }),
    ],
    [
      '200 of a list with an include of two steps, each of which is read from the database',
      21,
      (token) => get('/users?include=relatives.relatives', token),
    ],
  ])('are on %s, which costs %i', async (_, cost, send) => {
    expect(figuresOf(await send(await person(uniqueSubject())))).toEqual({
      capacity: 100,
      remaining: 100 - cost,
      rate: 50,
      cost,
    })
  })

  it('are on a 401, which is charged to the address', async () => {
    expect(figuresOf(await get('/countries'))).toEqual({
      capacity: 100,
      remaining: 99,
      rate: 50,
      cost: 1,
    })
  })

  it('are on a 429, with Retry-After: ceil((cost − tokens) / rate), at least 1', async () => {
    const { token } = await uniquePerson()
    const slow = await slowService()
    await atOnce(10, () => get('/countries', token, { origin: slow.origin }))
    const write = await request('POST', '/jsonapi/users', { token, origin: slow.origin })
    expect(write.status).toBe(429)
    const { remaining, ...figures } = figuresOf(write)
    expect(figures).toEqual({ capacity: 10, rate: 1, cost: 5 })
    expect(remaining).toBeLessThan(5)
    expect(write.headers['retry-after']).toBe(String(5 - remaining))
    expect(write.document.errors).toMatchObject([{ code: 'TOO_MANY_REQUESTS' }])
  })

  it('are not on an answer that never reached the limiter', async () => {
    const { headers } = await get('/planets', await client())
    expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
  })
})
