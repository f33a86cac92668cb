import { describe, expect, it } from 'vitest'
import { createUser, newUser, send, writer } from '../../support/people.ts'
import {
  type Answer,
  clientToken,
  get,
  request,
  slowService,
  tokenFor,
  uniquePerson,
  variant,
} from '../../support/service.ts'
import { errorRows } from '../description/contract.ts'

it('each error has the id of its request and its number in the answer, a title that belongs to its code, and a detail', async () => {
  const { headers, document } = await get(
    '/countries?include=a&x=1&y=2&fields[z]=',
    await clientToken(),
  )
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

/** Sends a write of a person who owns nothing. */
const write = async (method: string, path: string, body?: unknown, headers = {}) =>
  request(method, `/jsonapi${path}`, { token: (await writer()).token, body, headers })
/** Creates a user with other members than usual. */
const create = (members: object, headers = {}) =>
  write('POST', '/users', { data: { ...newUser().data, ...members } }, headers)
/** Creates a user with these attributes beside its name. */
const createWith = (attributes: object) => create({ attributes: { fullName: 'A', ...attributes } })
/** Sends a GET of a client. */
const read = async (path: string, headers = {}) => get(path, await clientToken(), { headers })
const john = { email: 'JOHN.Doe@example.com' }
const nowhere = { placeOfBirth: { data: { type: 'countries', id: 'XX' } } }

/** Status, code and source of an error, and requests that have it as their only one. */
const faults: Readonly<Record<string, readonly (() => Promise<Answer>)[]>> = {
  '400 INVALID_ENUM_VALUE parameter include': [() => read('/users?include=friends')],
  '400 VALUE_INVALID_FORMAT parameter page[limit]': [() => read('/users?page[limit]=0')],
  '400 VALUE_IS_ABSENT pointer /data/attributes': [() => createWith({})],
  '400 VALUE_IS_ABSENT pointer /data/attributes/email': [() => createWith({ email: null })],
  '400 INVALID_PAYLOAD': ['[]', ' '.repeat(65_537)].map(
    (body) => () => write('POST', '/users', body),
  ),
  '400 UNEXPECTED_PARAMETER parameter sort': [() => read('/countries?sort=name')],
  '401 UNAUTHORIZED header Authorization': [() => get('/users'), () => get('/users', 'x')],
  '401 ACCESS_TOKEN_EXPIRED header Authorization': [
    async () => get('/users', await tokenFor({ expiresIn: -60 })),
  ],
  '403 INSUFFICIENT_ENTITLEMENTS header Authorization': [() => read('/users/1/relatives')],
  '403 INSUFFICIENT_ENTITLEMENTS path id': [() => write('DELETE', '/users/1')],
  '403 CLIENT_GENERATED_ID_NOT_SUPPORTED pointer /data/id': [() => create({ id: 'mine' })],
  '404 NOT_FOUND': [() => read('/planets')],
  '404 NOT_FOUND path id': [() => read('/users/nobody'), () => read('/countries/XX')],
  '404 NOT_FOUND pointer /data/relationships/placeOfBirth/data/id': [
    () => create({ relationships: nowhere }),
  ],
  '405 METHOD_NOT_SUPPORTED': [() => write('PUT', '/users')],
  '406 NOT_ACCEPTABLE header Accept': [() => read('/users', { accept: 'text/csv' })],
  '409 CONFLICT pointer /data/attributes/email': [
    () => createWith(john),
    async () => {
      const user = await createUser()
      const data = { type: 'users', id: user.id, attributes: john }
      return send('PATCH', `/users/${user.id}`, user, { data })
    },
  ],
  '409 CONFLICT pointer /data/type': [() => create({ type: 'countries' })],
  '409 CONFLICT pointer /data/id': [
    () => write('PATCH', '/users/1', { data: { type: 'users', id: '2' } }),
  ],
  '412 PRECONDITION_FAILED header If-Match': [() => read('/countries', { 'if-match': '"x"' })],
  '412 PRECONDITION_FAILED header If-None-Match': [() => create({}, { 'if-none-match': '*' })],
  '415 UNSUPPORTED_MEDIA_TYPE header Content-Type': [
    () => create({}, { 'content-type': 'application/json' }),
  ],
  '415 UNSUPPORTED_MEDIA_TYPE header Content-Encoding': [
    () => create({}, { 'content-encoding': 'gzip' }),
  ],
  '429 TOO_MANY_REQUESTS': [
    async () => {
      const [{ origin }, { token }] = [await slowService(), await uniquePerson()]
      const ask = () => get('/users?page[limit]=60&include=citizenships', token, { origin })
      const answers = await Promise.all(Array.from({ length: 5 }, ask))
      return answers.find(({ status }) => status === 429) ?? ask()
    },
  ],
  '500 INTERNAL_SERVER_ERROR': [
    async () => {
      const { origin } = await variant({ READ_ONLY: 'true' })
      const { token } = await writer()
      return request('DELETE', '/jsonapi/users/1', { token, origin })
    },
  ],
}

describe('the table of codes in the contract', () => {
  it('has a fault above for each of its rows, and no other', () => {
    const rows = Object.keys(faults).map((fault) => fault.split(' ', 2).join(' '))
    expect([...new Set(rows)]).toEqual(errorRows)
  })

  it.each(Object.entries(faults))(
    '%s is the only error of a request with that fault',
    async (fault, requests) => {
      for (const ask of requests) {
        const { status, faults } = await ask()
        expect([status, faults]).toEqual([Number(fault.slice(0, 3)), [fault]])
      }
    },
  )
})

it.each([
  ['include', 'Put all values into one, with commas between them.'],
  ['page[cursor]', 'Send it once.'],
])('a detail says what to do where %s is repeated', async (name, advice) => {
  const { status, document } = await read(`/countries?${name}=currencies&${name}=currencies`)
  const detail = `${name} is sent more than once. ${advice}`
  expect([status, document.errors?.[0]?.detail]).toEqual([400, detail])
})
