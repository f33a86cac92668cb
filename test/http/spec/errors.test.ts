import { describe, expect, it } from 'vitest'
import type { ErrorObject } from '../../support/documents.ts'
import { linesWith } from '../../support/log.ts'
import {
  type Answer,
  client,
  clientToken,
  get,
  person,
  request,
  slowService,
  tokenFor,
  uniquePerson,
  variant,
} from '../../support/service.ts'

const write = 'users.write'

async function post(body: unknown): Promise<Answer> {
  const { token } = await uniquePerson(write)
  return request('POST', '/jsonapi/users', { token, body })
}

it.each<[what: string, below: string, body: object, detail: string]>([
  [
    'an array for a place of birth',
    '/relationships/placeOfBirth',
    { data: [] },
    '"data" must be an object or null.',
  ],
  [
    'a number for a card',
    '',
    { data: { type: 'users', id: '1', attributes: { creditCardNumber: 7 } } },
    '"creditCardNumber" must be a string or null.',
  ],
])(
  'a detail says that null is allowed, too: %s (contract, section 5)',
  async (_, below, body, detail) => {
    const token = await person('1', write)
    const { status, document } = await request('PATCH', `/jsonapi/users/1${below}`, { token, body })
    expect([status, document.errors]).toEqual([400, [expect.objectContaining({ detail })]])
  },
)

async function drained(): Promise<Answer> {
  const { origin } = await slowService()
  const token = await clientToken()
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => request('POST', '/jsonapi/users', { token, origin })),
  )
  return answers.find(({ status }) => status === 429) ?? Promise.reject(new Error('no 429'))
}

/** Every status and code, and a request that gets it (contract, section 5). */
const table = [
  {
    status: 400,
    code: 'INVALID_ENUM_VALUE',
    source: { parameter: 'include' },
    names: ['capital', 'currencies'],
    send: async () => get('/countries?include=capital', await client()),
  },
  {
    status: 400,
    code: 'VALUE_INVALID_FORMAT',
    source: { parameter: 'filter[region]' },
    names: ['Atlantis', 'Europe'],
    send: async () => get('/countries?filter[region]=Atlantis', await client()),
  },
  {
    status: 400,
    code: 'UNEXPECTED_PARAMETER',
    source: { parameter: 'colour' },
    names: ['colour', 'include'],
    send: async () => get('/countries?colour=red', await client()),
  },
  {
    status: 400,
    code: 'VALUE_IS_ABSENT',
    source: { pointer: '/data/attributes' },
    names: ['email'],
    send: () => post({ data: { type: 'users', attributes: { fullName: 'Ola' } } }),
  },
  {
    status: 400,
    code: 'INVALID_PAYLOAD',
    source: undefined,
    names: [],
    send: () => post('{'),
  },
  {
    status: 401,
    code: 'ACCESS_TOKEN_EXPIRED',
    source: { header: 'Authorization' },
    names: ['expired'],
    send: async () => get('/countries', await tokenFor({ expiresIn: -60 })),
  },
  {
    status: 401,
    code: 'UNAUTHORIZED',
    source: { header: 'Authorization' },
    names: ['Bearer'],
    send: () => get('/countries'),
  },
  {
    status: 403,
    code: 'CLIENT_GENERATED_ID_NOT_SUPPORTED',
    source: { pointer: '/data/id' },
    names: [],
    send: () =>
      post({
        data: { type: 'users', id: '9', attributes: { fullName: 'Ola', email: 'o@example.com' } },
      }),
  },
  {
    status: 403,
    code: 'INSUFFICIENT_ENTITLEMENTS',
    source: { header: 'Authorization' },
    names: ['users.read'],
    send: async () => get('/users/1/relationships/relatives', await client()),
  },
  {
    status: 404,
    code: 'NOT_FOUND',
    source: { path: 'id' },
    names: ['XX'],
    send: async () => get('/countries/XX', await client()),
  },
  {
    status: 405,
    code: 'METHOD_NOT_SUPPORTED',
    source: undefined,
    names: ['PUT', 'GET'],
    send: () => request('PUT', '/jsonapi/users'),
  },
  {
    status: 406,
    code: 'NOT_ACCEPTABLE',
    source: { header: 'Accept' },
    names: ['application/vnd.api+json'],
    send: () => get('/users', undefined, { headers: { accept: 'text/csv' } }),
  },
  {
    status: 409,
    code: 'CONFLICT',
    source: { pointer: '/data/attributes/email' },
    names: ['email'],
    send: () =>
      post({
        data: {
          type: 'users',
          attributes: { fullName: 'John', email: 'JOHN.DOE@example.com' },
        },
      }),
  },
  {
    status: 409,
    code: 'CONFLICT',
    source: { pointer: '/data/type' },
    names: ['users'],
    send: () =>
      post({ data: { type: 'people', attributes: { fullName: 'Ola', email: 'p@example.com' } } }),
  },
  {
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    source: { header: 'Content-Type' },
    names: ['application/vnd.api+json'],
    send: async () => {
      const { token } = await uniquePerson(write)
      const headers = { 'content-type': 'application/json' }
      return request('POST', '/jsonapi/users', { token, headers, body: '{}' })
    },
  },
  { status: 429, code: 'TOO_MANY_REQUESTS', source: undefined, names: ['5', '1'], send: drained },
  {
    status: 500,
    code: 'INTERNAL_SERVER_ERROR',
    source: undefined,
    names: [],
    send: async () => {
      const { origin } = await variant({ JWKS_URL: 'https://down.example/jwks' })
      return get('/countries', await client(), { origin })
    },
  },
]

describe('the status and code table (contract, section 5)', () => {
  const seen: ErrorObject[] = []

  it.each(table)('is served: $status $code', async ({ status, code, source, names, send }) => {
    const answer = await send()
    expect(answer.status).toBe(status)
    const [error, ...others] = answer.document.errors ?? []
    expect(others).toEqual([])
    expect(error).toMatchObject({ status: String(status), code })
    expect(error?.source).toEqual(source)
    for (const name of names) {
      expect(error?.detail).toContain(name)
    }
    seen.push(...(answer.document.errors ?? []))
  })

  it('gives each error the id of its request and its number in the answer (contract, section 5)', async () => {
    const { headers, document } = await get('/countries?x=1&y=2&fields[z]=', await client())
    const ids = document.errors?.map(({ id }) => id)
    const name = headers['x-request-id']
    expect(ids).toEqual([`${name}.1`, `${name}.2`, `${name}.3`])
  })

  it('gives every error an id of its own, a title that belongs to its code, and a detail', async () => {
    const more = await get('/countries?include=a,b&x=1&y=2&fields[z]=', await client())
    const errors = [...seen, ...(more.document.errors ?? [])]
    expect(errors.length).toBeGreaterThan(table.length)
    expect(new Set(errors.map(({ id }) => id)).size).toBe(errors.length)
    const titles = new Map(errors.map(({ code, title }) => [code, title]))
    for (const { code, title, detail } of errors) {
      expect(title).toBe(titles.get(code))
      expect(title).not.toBe('')
      expect(detail).not.toBe('')
    }
    expect(new Set(titles.values()).size).toBe(titles.size)
  })
})

describe('a 500 (contract, section 5)', () => {
  it('says when to come back where a dependency failed, and tells nothing of the cause', async () => {
    const { origin, logs } = await variant({ JWKS_URL: 'https://down.example/jwks' })
    const { headers, text, document } = await get('/users', await client(), { origin })
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(text).not.toMatch(/down\.example|jwks|key set|503/i)
    const [line] = await linesWith(document.errors?.[0]?.id ?? '-', logs)
    expect(line).toContain('"level":"error"')
    expect(line).toContain('503')
  })

  it('is the answer while a variable is wrong; the log names the variable', async () => {
    const { origin, logs } = await variant({ CORS_ORIGINS: 'not an origin' })
    const { status, document, text } = await get('/countries', await client(), { origin })
    expect(status).toBe(500)
    expect(document.errors).toMatchObject([{ code: 'INTERNAL_SERVER_ERROR' }])
    expect(text).not.toContain('CORS_ORIGINS')
    await linesWith('CORS_ORIGINS', logs)
  })
})
