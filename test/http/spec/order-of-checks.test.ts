import { describe, expect, it } from 'vitest'
import {
  person,
  type RequestOptions,
  request,
  slowService,
  tokenFor,
  uniqueAddress,
  uniquePerson,
} from '../../support/service.ts'

const write = 'users.write'
const wrong = { accept: 'text/csv', contentType: 'text/plain' }
const payload = (data: object) => ({ data: { type: 'users', ...data } })

/** A request that fails every check from one on, and what it is told. */
interface Row {
  readonly name: string
  readonly method?: string
  readonly path: string
  readonly token?: () => Promise<string>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly answers: number
}

const noScope = async () => (await uniquePerson('')).token
const writer = async () => (await uniquePerson(write)).token
const owner = (id: string) => async () => person(id, write)

const rows: readonly Row[] = [
  {
    name: '404 of the path before 406',
    path: '/planets',
    headers: { accept: wrong.accept },
    answers: 404,
  },
  {
    name: '405 before 406',
    method: 'PUT',
    path: '/users',
    headers: { accept: wrong.accept },
    answers: 405,
  },
  {
    name: '406 before 401',
    path: '/users',
    headers: { accept: wrong.accept },
    answers: 406,
  },
  {
    name: '401 before 403',
    method: 'POST',
    path: '/users',
    headers: { 'content-type': wrong.contentType },
    body: 'x',
    answers: 401,
  },
  {
    name: '403 of the token before 415',
    method: 'POST',
    path: '/users?no=1',
    token: noScope,
    headers: { 'content-type': wrong.contentType },
    body: 'x',
    answers: 403,
  },
  {
    name: '403 of the token before 400',
    path: '/users/%00/relationships/relatives?no=1',
    token: noScope,
    answers: 403,
  },
  {
    name: '415 before 400',
    method: 'PATCH',
    path: '/users/nobody?no=1',
    token: writer,
    headers: { 'content-type': wrong.contentType },
    body: 'x',
    answers: 415,
  },
  {
    name: '400 before 404 of the resource',
    method: 'PATCH',
    path: '/users/nobody',
    token: writer,
    body: payload({ id: 'nobody', attributes: { fullName: '' } }),
    answers: 400,
  },
  {
    name: '400 of a read before 404 of the resource',
    path: '/users/nobody?include=friends',
    token: writer,
    answers: 400,
  },
  {
    name: '404 of the resource before 404 of linkage',
    method: 'PATCH',
    path: '/users/nobody',
    token: writer,
    body: payload({
      id: 'nobody',
      relationships: { placeOfBirth: { data: { type: 'countries', id: 'XX' } } },
    }),
    answers: 404,
  },
  {
    name: '403 of ownership before 404 of linkage',
    method: 'PATCH',
    path: '/users/1',
    token: writer,
    body: payload({
      id: '1',
      relationships: { placeOfBirth: { data: { type: 'countries', id: 'XX' } } },
    }),
    answers: 403,
  },
  {
    name: '403 of ownership before 409',
    method: 'PATCH',
    path: '/users/1',
    token: writer,
    body: payload({ id: '1', attributes: { email: 'jane.doe@example.com' } }),
    answers: 403,
  },
  {
    name: '404 of linkage before 409',
    method: 'PATCH',
    path: '/users/1',
    token: owner('1'),
    body: payload({
      id: '1',
      attributes: { email: 'jane.doe@example.com' },
      relationships: { placeOfBirth: { data: { type: 'countries', id: 'XX' } } },
    }),
    answers: 404,
  },
]

describe('the order of checks', () => {
  it.each(rows)(
    'answers $name',
    async ({ method = 'GET', path, token, headers, body, answers }) => {
      const answer = await request(method, `/jsonapi${path}`, {
        ...(token && { token: await token() }),
        ...(headers && { headers }),
        ...(body !== undefined && { body }),
      })
      expect([answer.status, answer.document.errors?.[0]?.status]).toEqual([
        answers,
        String(answers),
      ])
    },
  )

  /** The statuses of many writes at once to a Worker whose buckets hold two of them. */
  async function drain(options: RequestOptions): Promise<ReadonlySet<number>> {
    const { origin } = await slowService()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => request('POST', '/jsonapi/users', { ...options, origin })),
    )
    return new Set(answers.map(({ status }) => status))
  }

  it('401 while the address of a refused token has tokens, then 429', async () => {
    const token = await tokenFor({ iss: 'https://other.example' })
    const headers = { 'cf-connecting-ip': uniqueAddress() }
    expect(await drain({ token, headers })).toEqual(new Set([401, 429]))
  })

  it('429 before 403 of the token', async () => {
    expect(await drain({ token: await noScope() })).toEqual(new Set([403, 429]))
  })

  it('429 before 415 and 400', async () => {
    const headers = { 'content-type': wrong.contentType }
    const token = await writer()
    expect(await drain({ token, headers, body: '{}' })).toEqual(new Set([415, 429]))
    expect(await drain({ token: await writer(), body: '{}' })).toEqual(new Set([400, 429]))
  })

  it('405 and 406 cost nothing: they come before the limiter', async () => {
    const { token } = await uniquePerson()
    const headers = { accept: wrong.accept }
    for (const answer of [
      await request('PUT', '/jsonapi/users', { token }),
      await request('GET', '/jsonapi/users', { token, headers }),
    ]) {
      expect(answer.headers).not.toHaveProperty('x-ratelimit-remaining')
    }
  })
})

describe('errors of one request', () => {
  it.each(['x'.repeat(65), '%00', '%'])(
    'are those of path, query and body, also where the path has no id: %s',
    async (id) => {
      const { document } = await request('PATCH', `/jsonapi/users/${id}?no=1`, {
        token: await writer(),
        body: payload({ id: '1', attributes: { fullName: '' } }),
      })
      expect(document.errors?.map(({ status, source }) => [status, source])).toEqual([
        ['400', { path: 'id' }],
        ['400', { parameter: 'no' }],
        ['400', { pointer: '/data/attributes/fullName' }],
        ['409', { pointer: '/data/id' }],
      ])
    },
  )

  it('of different 4xx statuses answer 400, and each keeps its own', async () => {
    const { token } = await uniquePerson(write)
    const { status, document } = await request('POST', '/jsonapi/users', {
      token,
      body: { data: { type: 'people', id: '1', attributes: { email: 'x', fullName: '' } } },
    })
    expect(status).toBe(400)
    expect(new Set(document.errors?.map((error) => error.status))).toEqual(
      new Set(['400', '403', '409']),
    )
  })
})
