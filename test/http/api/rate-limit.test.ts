import { describe, expect, it } from 'vitest'
import {
  type Answer,
  clientToken,
  get,
  person,
  request,
  slowService,
  tokenFor,
  uniqueAddress,
  uniquePerson,
  uniqueSubject,
} from '../../support/service.ts'
import { atOnce, figuresOf, passed } from '../../support/throttled.ts'

/** A Worker whose buckets fill slowly: 10 tokens, one a second. */
const slow = await slowService()

it('A bucket that is asked for four times its burst at once passes the burst and what was replenished meanwhile, and a refusal shows nothing', async () => {
  const { token } = await uniquePerson()
  const { answers, seconds } = await atOnce(40, () =>
    get('/users/1', token, { origin: slow.origin }),
  )
  const count = passed(answers).length
  expect(count).toBeGreaterThanOrEqual(10)
  expect(count).toBeLessThanOrEqual(10 + Math.floor(seconds))
  expect(passed(answers).every(({ status }) => status === 200)).toBe(true)
  for (const { text, headers, document } of answers.filter(({ status }) => status === 429)) {
    expect(document.errors?.[0]?.detail).toContain('This request costs 1 token. ')
    expect(text).not.toContain('"data"')
    expect(headers).not.toHaveProperty('etag')
    expect(headers).not.toHaveProperty('cache-control')
  }
})

describe('the four headers', () => {
  const any = { headers: { 'if-none-match': '*' } }
  const body = { data: Array(21).fill({ type: 'countries', id: 'NO' }) }
  const linkage = '/jsonapi/users/1/relationships/citizenships'
  const wrong = { data: Array(21).fill({ type: 'countries' }) }

  it.each<[name: string, cost: number, send: (token: string) => Promise<Answer>]>([
    ['200', 1, (token) => get('/countries', token)],
    ['304', 1, (token) => get('/countries', token, any)],
    ['400 of a dear read', 1, (token) => get('/users?include=relatives.relatives&no=1', token)],
    ['400 of a long query', 1, (token) => get(`/users?${'x'.repeat(4_097)}`, token)],
    ['400 of a dear write', 5, (token) => request('POST', linkage, { token, body: wrong })],
    ['200 of HEAD', 1, (token) => request('HEAD', '/jsonapi/users', { token })],
    ['401, which is charged to the address', 1, () => get('/countries')],
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
  ])('are on a %s, which costs %i', async (_, cost, send) => {
    const figures = { capacity: 100, remaining: 100 - cost, rate: 50, cost }
    expect(figuresOf(await send(await person(uniqueSubject())))).toEqual(figures)
  })

  it('are on a 429, with Retry-After: ceil((cost − tokens) / rate), and a refusal costs nothing', async () => {
    const { token } = await uniquePerson()
    const { origin } = slow
    await atOnce(9, () => get('/countries', token, { origin }))
    const dear = Array.from({ length: 5 }, () =>
      request('POST', '/jsonapi/users', { token, origin }),
    )
    for (const answer of await Promise.all(dear)) {
      expect(answer.status).toBe(429)
      const { remaining, ...figures } = figuresOf(answer)
      expect(figures).toEqual({ capacity: 10, rate: 1, cost: 5 })
      expect(remaining).toBeLessThan(5)
      expect(answer.headers['retry-after']).toBe(String(5 - remaining))
      expect(answer.document.errors).toMatchObject([{ code: 'TOO_MANY_REQUESTS' }])
    }
    // A cheap request may still take the token that the dear ones were refused.
    expect((await get('/countries', token, { origin })).status).toBe(200)
  })

  it.each([
    ['404 of the path', 'GET', '/planets'],
    ['405', 'PUT', '/users'],
    ['406', 'GET', '/users', 'text/csv'],
  ])('are not on a %s, which comes before the limiter', async (_, method, path, accept = '*/*') => {
    const options = { token: await clientToken(), headers: { accept } }
    const { headers } = await request(method, `/jsonapi${path}`, options)
    expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
  })
})

describe('the bucket that pays', () => {
  const read = (token: string | undefined, address = uniqueAddress()) =>
    get('/countries', token, { origin: slow.origin, headers: { 'cf-connecting-ip': address } })
  type Sender = Parameters<typeof read>

  /** Spends five tokens of the first, and tells whether the second lacks them. */
  async function share(first: Sender, second: Sender): Promise<boolean> {
    await atOnce(5, () => read(...first))
    return figuresOf(await read(...second)).remaining < 9
  }

  it('is one for each person, whatever the token', async () => {
    const sub = uniqueSubject()
    expect(await share([await person(sub)], [await person(sub, 'users.write')])).toBe(true)
  })

  it('is that of the person for a token without a scope of the service, and no other', async () => {
    const [client, sub] = [uniqueSubject(), uniqueSubject()]
    const bare = (subject: string) => tokenFor({ sub: subject, client, scope: 'openid' })
    const one = await bare(sub)
    expect(await share([one], [await bare(uniqueSubject())])).toBe(false)
    expect(await share([one], [await clientToken(client)])).toBe(false)
    expect(await share([one], [await person(sub)])).toBe(true)
  })

  it('does not depend on the address of a caller who has a token, and is that of the address without one', async () => {
    const { token } = await uniquePerson()
    const address = uniqueAddress()
    expect(await share([token, address], [token])).toBe(true)
    expect(await share([token, address], [undefined, address])).toBe(false)
    expect(await share([undefined, '192.0.2.1'], [undefined, '192.0.2.1'])).toBe(true)
    expect(await share([undefined, '192.0.2.2'], [undefined, '192.0.2.3'])).toBe(false)
  })
})
