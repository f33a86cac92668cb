import { describe, expect, it } from 'vitest'
import { clientToken, mediaType, type RequestOptions, request } from '../../../support/service.ts'
import { change, countries, newUser, relative, uniqueEmail, userOf, writer } from './writers.ts'

/**
 * What can be wrong with a write, in the order of the contract, section 2. Each request here has one fault and
 * the next ones as well; the first fault is what it is answered with.
 */
async function faultyRequests() {
  const [mine, theirs] = [await writer(), await writer()]
  const email = uniqueEmail()
  const taken = await userOf(theirs, { attributes: { email } })
  const own = await userOf(mine)
  const missing = crypto.randomUUID()
  const conflicting = (id: string) =>
    change(id, {
      attributes: { email },
      relationships: { citizenships: { data: countries('XX') } },
    })
  const broken = { data: { type: 'users', id: 'x', attributes: { email: 7 } } }
  const to = (id: string, options: RequestOptions) =>
    ['PATCH', `/jsonapi/users/${id}`, options] as const
  const { token } = mine
  const client = await clientToken()
  const notAccepted = { accept: 'text/html', 'content-type': 'text/plain' }
  const badType = { 'content-type': 'text/plain' }
  return [
    [405, ['PUT', '/jsonapi/users/1', { headers: notAccepted, body: '[' }]],
    [404, ['PATCH', '/jsonapi/countries/NO', { headers: notAccepted, body: '[' }]],
    [405, ['POST', '/jsonapi/users/1/relatives', { headers: notAccepted, body: '[' }]],
    [406, to(missing, { headers: notAccepted, body: '[' })],
    [401, to(missing, { token: 'x', headers: badType, body: '[' })],
    [403, to(missing, { token: client, headers: badType, body: '[' })],
    [415, to(missing, { token, headers: badType, body: '[' })],
    [400, to(missing, { token, body: '[' })],
    [400, to(taken, { token, body: broken })],
    [404, to(missing, { token, body: conflicting(missing) })],
    [403, to(taken, { token, body: conflicting(taken) })],
    [404, to(own, { token, body: conflicting(own) })],
    [409, to(own, { token, body: change(own, { attributes: { email } }) })],
    [204, to(own, { token, body: change(own, {}) })],
  ] as const
}

describe('the order of checks (contract, section 2)', () => {
  it('answers with the first fault of each request that has several', async () => {
    const requests = await faultyRequests()
    const statuses = []
    for (const [, [method, path, options]] of requests) {
      statuses.push((await request(method, path, options)).status)
    }

    expect(statuses).toEqual(requests.map(([status]) => status))
  })

  it('charges for a write before it looks at more than its token: 429 before 403, 415 and 400', async () => {
    const { token } = await writer('users.read')
    const send = (body: unknown) => {
      const headers = { 'content-type': 'text/plain' }
      return request('POST', '/jsonapi/users', { token, headers, body })
    }
    const answers = await Promise.all(Array.from({ length: 60 }, () => send('[')))
    const statuses = new Set(answers.map(({ status }) => status))

    expect(statuses).toEqual(new Set([403, 429]))
    for (const { headers } of answers) {
      expect(headers['x-ratelimit-requested-tokens']).toBe('5')
    }
  })

  it('writes nothing when refused for the rate (contract, section 10)', async () => {
    const { token } = await writer()
    const bodies = Array.from({ length: 60 }, () => newUser())
    const sent = bodies.map((body) => request('POST', '/jsonapi/users', { token, body }))
    const refused = (await Promise.all(sent)).map(({ status }) => status === 429)

    expect(refused).toContain(true)
    const again = bodies[refused.indexOf(true)]
    const other = await writer()
    const answer = await request('POST', '/jsonapi/users', { token: other.token, body: again })
    expect(answer.status).toBe(201)
  })

  it('collects the faults of path, query and body (contract, section 2)', async () => {
    const { token } = await writer()
    const path = `/jsonapi/users/${'x'.repeat(65)}?sort=email`
    const body = change('y', { relationships: { relatives: { data: [relative('1', 'AUNT')] } } })
    const headers = { 'content-type': mediaType }
    const { status, document } = await request('PATCH', path, { token, headers, body })

    expect(status).toBe(400)
    expect(document.errors?.map(({ source }) => source)).toEqual(
      expect.arrayContaining([
        { path: 'id' },
        { parameter: 'sort' },
        { pointer: '/data/relationships/relatives/data/0/meta/relationshipType' },
      ]),
    )
  })
})
