import { describe, expect, it } from 'vitest'
import { createUser, newUser } from '../../support/people.ts'
import {
  type Answer,
  client,
  get,
  request,
  slowService,
  tokenFor,
  uniquePerson,
  variant,
} from '../../support/service.ts'
import { anyWriter, send } from '../api/writes/writers.ts'
import { errorRows } from '../description/contract.ts'

it('each error has the id of its request and its number in the answer, a title that belongs to its code, and a detail', async () => {
  const { headers, document } = await get('/countries?include=a&x=1&y=2&fields[z]=', await client())
  const errors = document.errors ?? []
  const name = headers['x-request-id']
  expect(errors.map(({ id }) => id)).toEqual([1, 2, 3, 4].map((nth) => `${name}.${nth}`))
  const titles = new Map(errors.map(({ code, title }) => [code, title]))
  for (const { code, title, detail } of errors) {
    expect(title).toBe(titles.get(code))
    expect(title).not.toBe('')
    expect(detail).not.toBe('')
  }
  expect(new Set(titles.values()).size).toBe(titles.size)
})

/** Creates a user with other members than usual. */
const create = async (members: object, headers = {}): Promise<Answer> => {
  const { token } = await anyWriter()
  const body = { data: { ...newUser().data, ...members } }
  return request('POST', '/jsonapi/users', { token, body, headers })
}
/** Creates a user with these attributes beside its name. */
const createWith = (attributes: object) => create({ attributes: { fullName: 'A', ...attributes } })
const attributesOf = (email: string) => ({ attributes: { email } })
const nowhere = { data: { type: 'countries', id: 'XX' } }
const body = (text: string | Uint8Array) => async () =>
  send('POST', '/users', await anyWriter(), text)

/** A fault of each kind: the status and the code of the only error, where it lies, and who has it. */
const faults: readonly (readonly [
  what: string,
  error: string,
  source: unknown,
  ask: () => Promise<Answer>,
])[] = [
  [
    'an unknown path of include',
    '400 INVALID_ENUM_VALUE',
    { parameter: 'include' },
    async () => get('/users?include=friends', await client()),
  ],
  [
    'a number out of bounds',
    '400 VALUE_INVALID_FORMAT',
    { parameter: 'page[limit]' },
    async () => get('/users?page[limit]=0', await client()),
  ],
  [
    'no e-mail address',
    '400 VALUE_IS_ABSENT',
    { pointer: '/data/attributes' },
    () => createWith({}),
  ],
  [
    'null in its place',
    '400 VALUE_IS_ABSENT',
    { pointer: '/data/attributes/email' },
    () => createWith({ email: null }),
  ],
  ['a body that is no object', '400 INVALID_PAYLOAD', undefined, body('[]')],
  ['a body of over 64 KiB', '400 INVALID_PAYLOAD', undefined, body(' '.repeat(65_537))],
  [
    'a parameter of other operations',
    '400 UNEXPECTED_PARAMETER',
    { parameter: 'sort' },
    async () => get('/countries?sort=name', await client()),
  ],
  ['no token', '401 UNAUTHORIZED', { header: 'Authorization' }, () => get('/users')],
  [
    'an old token',
    '401 ACCESS_TOKEN_EXPIRED',
    { header: 'Authorization' },
    async () => get('/users', await tokenFor({ expiresIn: -60 })),
  ],
  [
    'a missing scope',
    '403 INSUFFICIENT_ENTITLEMENTS',
    { header: 'Authorization' },
    async () => get('/users/1/relatives', await client()),
  ],
  [
    'a user of somebody else',
    '403 INSUFFICIENT_ENTITLEMENTS',
    { path: 'id' },
    async () => send('DELETE', '/users/1', await anyWriter()),
  ],
  [
    'an id of the client',
    '403 CLIENT_GENERATED_ID_NOT_SUPPORTED',
    { pointer: '/data/id' },
    () => create({ id: 'mine' }),
  ],
  ['a path that leads nowhere', '404 NOT_FOUND', undefined, () => get('/planets')],
  [
    'a user who is not there',
    '404 NOT_FOUND',
    { path: 'id' },
    async () => get('/users/nobody', await client()),
  ],
  [
    'a country that is not there',
    '404 NOT_FOUND',
    { pointer: '/data/relationships/placeOfBirth/data/id' },
    () => create({ relationships: { placeOfBirth: nowhere } }),
  ],
  [
    'a method of no path of the shape',
    '405 METHOD_NOT_SUPPORTED',
    undefined,
    () => request('PUT', '/jsonapi/users'),
  ],
  [
    'a media type that nobody has',
    '406 NOT_ACCEPTABLE',
    { header: 'Accept' },
    () => get('/users', undefined, { headers: { accept: 'text/csv' } }),
  ],
  [
    'a taken e-mail address, in another case',
    '409 CONFLICT',
    { pointer: '/data/attributes/email' },
    async () => {
      const { id, token } = await createUser()
      const { email } = (await get(`/users/${id}`, token)).document.data.attributes
      return createWith({ email: email.toUpperCase() })
    },
  ],
  [
    'a taken e-mail address in an update',
    '409 CONFLICT',
    { pointer: '/data/attributes/email' },
    async () => {
      const user = await createUser()
      const data = { type: 'users', id: user.id, ...attributesOf('john.doe@example.com') }
      return send('PATCH', `/users/${user.id}`, user, { data })
    },
  ],
  ['another type', '409 CONFLICT', { pointer: '/data/type' }, () => create({ type: 'countries' })],
  [
    'another id than that of the path',
    '409 CONFLICT',
    { pointer: '/data/id' },
    async () => send('PATCH', '/users/1', await anyWriter(), { data: { type: 'users', id: '2' } }),
  ],
  [
    'If-Match of another state',
    '412 PRECONDITION_FAILED',
    { header: 'If-Match' },
    async () => get('/countries', await client(), { headers: { 'if-match': '"x"' } }),
  ],
  [
    'If-None-Match of a create',
    '412 PRECONDITION_FAILED',
    { header: 'If-None-Match' },
    () => create({}, { 'if-none-match': '*' }),
  ],
  [
    'another media type',
    '415 UNSUPPORTED_MEDIA_TYPE',
    { header: 'Content-Type' },
    () => create({}, { 'content-type': 'application/json' }),
  ],
  [
    'a compressed body',
    '415 UNSUPPORTED_MEDIA_TYPE',
    { header: 'Content-Encoding' },
    () => create({}, { 'content-encoding': 'gzip' }),
  ],
  [
    'an empty bucket',
    '429 TOO_MANY_REQUESTS',
    undefined,
    async () => {
      const [{ origin }, { token }] = [await slowService(), await uniquePerson()]
      const path = '/users?page[limit]=60&include=citizenships'
      await get(path, token, { origin })
      return get(path, token, { origin })
    },
  ],
  [
    'a service without writes',
    '500 INTERNAL_SERVER_ERROR',
    undefined,
    async () => {
      const { origin } = await variant({ READ_ONLY: 'true' })
      const { token } = await anyWriter()
      return request('DELETE', '/jsonapi/users/1', { token, origin })
    },
  ],
]

describe('the table of codes in the contract', () => {
  it('has a fault below for each of its rows, and no other', () => {
    expect([...new Set(faults.map(([, error]) => error))]).toEqual(errorRows)
  })

  it.each(faults)('%s is a %s', async (_, error, source, ask) => {
    const { status, document } = await ask()
    const told = document.errors?.map((one) => [`${one.status} ${one.code}`, one.source])
    expect([String(status), told]).toEqual([error.slice(0, 3), [[error, source]]])
  })
})

describe('a detail says what to do', () => {
  it.each([
    [
      'include',
      'currencies',
      'include is sent more than once. Put all values into one, with commas between them.',
    ],
    ['page[cursor]', 'x', 'page[cursor] is sent more than once. Send it once.'],
  ])('where %s is repeated', async (name, value, detail) => {
    const query = `${name}=${value}&${name}=${value}`
    const { status, document } = await get(`/countries?${query}`, await client())
    expect([status, document.errors?.[0]?.detail]).toEqual([400, detail])
  })

  it('where an e-mail address is not ASCII', async () => {
    const { token } = await uniquePerson('users.write')
    const attributes = { fullName: 'Jörg', email: 'jörg@example.com' }
    const body = { data: { type: 'users', attributes } }
    const { document } = await request('POST', '/jsonapi/users', { token, body })
    expect(document.errors?.[0]?.detail).toContain('must be an e-mail address in ASCII')
  })
})
