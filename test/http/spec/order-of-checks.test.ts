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
const csv = { accept: 'text/csv' }
const text = { headers: { 'content-type': 'text/plain' }, body: 'x' }
const update = (id: string, members: object) => ({
  body: { data: { type: 'users', id, ...members } },
})
const attributes = { email: 'jane.doe@example.com' }
const relationships = { placeOfBirth: { data: { type: 'countries', id: 'XX' } } }
const ofNobody = {
  invalid: update('nobody', { attributes: { fullName: '' } }),
  unborn: update('nobody', { relationships }),
}
const ofJohn = {
  unborn: update('1', { relationships }),
  taken: update('1', { attributes }),
  both: update('1', { attributes, relationships }),
}

const noScope = async () => (await uniquePerson('')).token
const writer = async () => (await uniquePerson(write)).token
const john = async () => person('1', write)

/** A request that fails every check from one on: what it is told, who sends it, and what. */
type Row = [
  name: string,
  answers: number,
  token: (() => Promise<string>) | undefined,
  method: string,
  path: string,
  sent?: RequestOptions,
]

const rows: Row[] = [
  ['404 of the path before 406', 404, undefined, 'GET', '/planets', { headers: csv }],
  ['405 before 406', 405, undefined, 'PUT', '/users', { headers: csv }],
  ['406 before 401', 406, undefined, 'GET', '/users', { headers: csv }],
  ['401 before 403', 401, undefined, 'POST', '/users', text],
  ['403 of the token before 415', 403, noScope, 'POST', '/users?no=1', text],
  ['403 of the token before 400', 403, noScope, 'GET', '/users/%00/relationships/relatives?no=1'],
  ['415 before 400', 415, writer, 'PATCH', '/users/nobody?no=1', text],
  ['400 before 404 of the resource', 400, writer, 'PATCH', '/users/nobody', ofNobody.invalid],
  ['400 of a read before 404 of the resource', 400, writer, 'GET', '/users/nobody?include=friends'],
  [
    '404 of the resource before 404 of linkage',
    404,
    writer,
    'PATCH',
    '/users/nobody',
    ofNobody.unborn,
  ],
  ['403 of ownership before 404 of linkage', 403, writer, 'PATCH', '/users/1', ofJohn.unborn],
  ['403 of ownership before 409', 403, writer, 'PATCH', '/users/1', ofJohn.taken],
  ['404 of linkage before 409', 404, john, 'PATCH', '/users/1', ofJohn.both],
]

describe('the order of checks', () => {
  it.each<Row>(rows)('answers %s', async (_, status, token, method, path, sent) => {
    const answer = await request(method, `/jsonapi${path}`, { token: await token?.(), ...sent })
    expect([answer.status, answer.document.errors?.[0]?.status]).toEqual([status, String(status)])
  })

  const foreign = () => tokenFor({ iss: 'https://other.example' })
  const here = { headers: { 'cf-connecting-ip': uniqueAddress() } }

  it.each<[name: string, status: number, token: () => Promise<string>, sent: RequestOptions]>([
    ['401 while the address of a refused token has tokens, then 429', 401, foreign, here],
    ['429 before 403 of the token', 403, noScope, {}],
    ['429 before 415', 415, writer, text],
    ['429 before 400', 400, writer, { body: '{}' }],
  ])('%s, of many writes at once to buckets that hold two', async (_, status, token, sent) => {
    const { origin } = await slowService()
    const options = { token: await token(), origin, ...sent }
    const writes = Array.from({ length: 6 }, () => request('POST', '/jsonapi/users', options))
    const statuses = (await Promise.all(writes)).map((answer) => answer.status)
    expect(new Set(statuses)).toEqual(new Set([status, 429]))
  })
})

it.each(['x'.repeat(65), '%00', '%'])(
  'errors of one request are those of path, query and body, each with its own status, also where the path has no id: %s',
  async (id) => {
    const { status, faults } = await request('PATCH', `/jsonapi/users/${id}?no=1`, {
      token: await writer(),
      ...update('1', { attributes: { fullName: '' } }),
    })
    expect([status, faults]).toEqual([
      400,
      [
        '400 UNEXPECTED_PARAMETER parameter no',
        '400 VALUE_INVALID_FORMAT path id',
        '400 VALUE_INVALID_FORMAT pointer /data/attributes/fullName',
        '409 CONFLICT pointer /data/id',
      ],
    ])
  },
)
