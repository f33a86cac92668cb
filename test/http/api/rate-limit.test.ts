import { beforeAll, describe, expect, it } from 'vitest'
import {
  type BackDoor,
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
let slow: BackDoor
beforeAll(async () => {
  slow = await slowService()
})

describe('a bucket that is asked for four times its burst at once', () => {
  // Where the object takes longer than 500 ms the isolate's own bucket steps in, so a slow machine gets another try.
  it('passes exactly the burst and what was replenished meanwhile', { retry: 3 }, async () => {
    const { token } = await uniquePerson()
    const { answers, seconds } = await atOnce(40, () =>
      get('/currencies', token, { origin: slow.origin }),
    )
    const count = passed(answers).length
    expect(count).toBeGreaterThanOrEqual(10)
    expect(count).toBeLessThanOrEqual(10 + Math.floor(seconds))
    expect(passed(answers).every(({ status }) => status === 200)).toBe(true)
  })
})

describe('a refusal', () => {
  it('costs nothing: a cheap request may still take the tokens that a dear one was refused', async () => {
    const { token } = await uniquePerson()
    const options = { origin: slow.origin }
    await atOnce(9, () => get('/countries', token, options))
    const dear = Array.from({ length: 5 }, () =>
      request('POST', '/jsonapi/users', { token, ...options }),
    )
    for (const { status } of await Promise.all(dear)) {
      expect(status).toBe(429)
    }
    expect((await get('/countries', token, options)).status).toBe(200)
  })

  it('shows nothing of what the read would have shown', async () => {
    const { token } = await uniquePerson()
    const { answers } = await atOnce(15, () => get('/users/1', token, { origin: slow.origin }))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    for (const { text, headers } of refused) {
      expect(text).not.toContain('"data"')
      expect(headers).not.toHaveProperty('etag')
      expect(headers).not.toHaveProperty('cache-control')
    }
  })
})

describe('the bucket that pays', () => {
  /** Spends five tokens of the first, and tells whether the second lacks them. */
  async function share(first: RequestOf, second: RequestOf): Promise<boolean> {
    await atOnce(5, () => get('/countries', first.token, { origin: slow.origin, ...first.options }))
    const answer = await get('/countries', second.token, {
      origin: slow.origin,
      ...second.options,
    })
    return figuresOf(answer).remaining < 9
  }
  interface RequestOf {
    readonly token?: string
    readonly options?: { readonly headers: Readonly<Record<string, string>> }
  }
  const from = (address: string) => ({ options: { headers: { 'cf-connecting-ip': address } } })

  it('is one for each person, whatever the token', async () => {
    const sub = uniqueSubject()
    const [one, another] = await Promise.all([person(sub), person(sub, 'users.write')])
    expect(await share({ token: one }, { token: another })).toBe(true)
  })

  it('is that of the person for a token without a scope of the service, and no other', async () => {
    const [client, sub] = [uniqueSubject(), uniqueSubject()]
    const bare = (subject: string) => tokenFor({ sub: subject, client, scope: 'openid' })
    const [one, again, another, machine] = await Promise.all([
      bare(sub),
      person(sub),
      bare(uniqueSubject()),
      clientToken(client),
    ])
    expect(await share({ token: one }, { token: another })).toBe(false)
    expect(await share({ token: one }, { token: machine })).toBe(false)
    expect(await share({ token: one }, { token: again })).toBe(true)
  })

  it('does not depend on the address of a caller who has a token', async () => {
    const { token } = await uniquePerson()
    const address = uniqueAddress()
    expect(await share({ token, ...from(address) }, { token, ...from(uniqueAddress()) })).toBe(true)
    expect(await share({ token, ...from(address) }, from(address))).toBe(false)
  })

  it.each([
    { first: '192.0.2.1', second: '192.0.2.1', same: true },
    { first: '192.0.2.2', second: '192.0.2.3', same: false },
  ])(
    'is the same for the addresses $first and $second without a token: $same',
    async ({ first, second, same }) => {
      expect(await share(from(first), from(second))).toBe(same)
    },
  )
})
