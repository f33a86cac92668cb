import { describe, expect, it } from 'vitest'
import { lineAbout } from '../../support/log.ts'
import { createUser } from '../../support/people.ts'
import { mediaType, request, uniquePerson, variant } from '../../support/service.ts'
import { atomicType, transact } from '../../support/transactions.ts'
import { add, relatives, remove, rename, user } from '../api/writes/operations.ts'
import { allScopes, countries, relative } from '../api/writes/writers.ts'

const other = `${mediaType}; ext="https://example.com/x"`
const both = `${mediaType}; ext="https://jsonapi.org/ext/atomic https://example.com/x"`
const withProfile = `${atomicType}; profile="https://example.com/p"`

describe('the media type of transactions (contract, section 13; JSON:API 1.1, "Extension Rules")', () => {
  it.each([
    [atomicType, 200],
    [withProfile, 200],
    [`${mediaType};ext=https://jsonapi.org/ext/atomic`, 200],
    ['*/*', 200],
    ['application/*', 200],
    [`${mediaType}, */*;q=0.1`, 200],
    ['', 200],
    [mediaType, 406],
    [other, 406],
    [both, 406],
    [`${atomicType}; charset=utf-8`, 406],
    [`${atomicType}; q=0`, 406],
  ])('as Accept %s is answered %d', async (accept, status) => {
    const { token } = await uniquePerson(allScopes)
    const answer = await transact(token, [add()], { headers: { accept } })
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toBe(status === 200 ? atomicType : mediaType)
  })

  it.each([
    [withProfile, 200],
    [mediaType, 415],
    [other, 415],
    [both, 415],
    ['application/json', 415],
    ['', 415],
  ])('as Content-Type %s is answered %d', async (type, status) => {
    const { token } = await uniquePerson(allScopes)
    const answer = await transact(token, [add()], { headers: { 'content-type': type } })
    expect(answer.status).toBe(status)
  })

  it.each(['accept', 'content-type'])('is taken as %s at /operations alone', async (name) => {
    const { id, token } = await createUser()
    const { status } = await request('PATCH', `/jsonapi/users/${id}`, {
      token,
      headers: { [name]: atomicType },
      body: { data: user(id) },
    })
    expect(status).toBe(name === 'accept' ? 406 : 415)
  })
})

describe('the path /operations (contract, section 1)', () => {
  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'])('takes no %s: 405', async (method) => {
    const { status, headers } = await request(method, '/jsonapi/operations')
    expect([status, headers.allow]).toEqual([405, 'POST, OPTIONS'])
  })

  it('tells OPTIONS what it takes', async () => {
    const { status, headers } = await request('OPTIONS', '/jsonapi/operations')
    expect([status, headers.allow]).toEqual([204, 'POST, OPTIONS'])
    expect(headers['accept-post']).toBe(atomicType)
  })

  it.each(['/jsonapi/operations/', '/jsonapi/operations/1'])('is not %s', async (path) => {
    expect((await request('POST', path)).status).toBe(404)
  })
})

describe('a transaction that is not valid (contract, section 13)', () => {
  const sourcesOf = async (...args: Parameters<typeof transact>) => {
    const { status, document } = await transact(...args)
    return [
      status,
      document.errors?.map(({ code, source }) => [code, ...Object.values(source ?? {})]),
    ]
  }

  it('is told every fault that the request shows, of all operations, query and headers', async () => {
    const { token } = await uniquePerson(allScopes)
    const { data } = add('a', { attributes: { email: 7 } })
    const answer = await request('POST', '/jsonapi/operations?include=relatives', {
      token,
      headers: { accept: atomicType, 'content-type': atomicType, 'if-match': '"x.y"' },
      body: {
        'atomic:operations': [
          { op: 'add', data },
          relatives('add', { lid: 'b' }, [{ type: 'users', id: '1' }]),
          { op: 'remove', ref: { type: 'dogs', id: '1' } },
        ],
      },
    })
    expect(answer.status).toBe(400)
    expect(
      answer.document.errors?.map(({ status, code, source }) => [status, code, source]),
    ).toEqual([
      ['400', 'UNEXPECTED_PARAMETER', { parameter: 'include' }],
      ['400', 'VALUE_INVALID_FORMAT', { header: 'If-Match' }],
      ['400', 'VALUE_INVALID_FORMAT', { pointer: '/atomic:operations/0/data/attributes/email' }],
      ['400', 'VALUE_INVALID_FORMAT', { pointer: '/atomic:operations/1/ref/lid' }],
      ['400', 'VALUE_IS_ABSENT', { pointer: '/atomic:operations/1/data/0' }],
      ['404', 'NOT_FOUND', { pointer: '/atomic:operations/2/ref/type' }],
    ])
  })

  it.each(['"x.y"', '*'])(
    'since it brings If-Match: %s, which names one resource',
    async (ifMatch) => {
      const { token } = await uniquePerson(allScopes)
      expect(await sourcesOf(token, [add()], { headers: { 'if-match': ifMatch } })).toEqual([
        400,
        [['VALUE_INVALID_FORMAT', 'If-Match']],
      ])
    },
  )

  it.each([
    [
      'a lid that no earlier operation made',
      { op: 'remove', ref: { type: 'users', lid: 'x' } },
      400,
      'VALUE_INVALID_FORMAT',
      '/ref/lid',
    ],
    ['a lid that an earlier one made', add('a'), 409, 'CONFLICT', '/data/lid'],
    [
      'an id for what it adds',
      { op: 'add', data: { ...add().data, id: '1' } },
      403,
      'CLIENT_GENERATED_ID_NOT_SUPPORTED',
      '/data/id',
    ],
    [
      'a type that is not written',
      { op: 'add', data: { type: 'countries' } },
      404,
      'NOT_FOUND',
      '/data/type',
    ],
  ])('since one has %s', async (_, operation, status, code, below) => {
    const { token } = await uniquePerson(allScopes)
    expect(await sourcesOf(token, [add('a'), operation])).toEqual([
      status,
      [[code, `/atomic:operations/1${below}`]],
    ])
  })

  it.each([0, 21])('since it has %d operations', async (count) => {
    const { token } = await uniquePerson(allScopes)
    const operations = Array.from({ length: count }, () => rename('1', 'X'))
    expect(await sourcesOf(token, operations)).toEqual([
      400,
      [['VALUE_INVALID_FORMAT', '/atomic:operations']],
    ])
  })

  it('since it has more than 100 identifiers in all, though no operation has', async () => {
    const { id, token } = await createUser()
    const many = Array.from({ length: 51 }, (_, n) => relative(`u${n}`, 'SON'))
    const operations = [relatives('add', { id }, many), relatives('update', { id }, many)]
    expect(await sourcesOf(token, operations)).toEqual([
      400,
      [['VALUE_INVALID_FORMAT', '/atomic:operations']],
    ])
  })

  it('since its body is over 64 KiB, deeper than 32 levels, or no document', async () => {
    const { token } = await uniquePerson(allScopes)
    const send = async (body: string) => (await transact(token, [], { body })).document.errors?.[0]
    const padded = JSON.stringify({
      meta: { a: 'x'.repeat(64 * 1024) },
      'atomic:operations': [add()],
    })
    expect(await send(padded)).toMatchObject({ code: 'INVALID_PAYLOAD' })
    expect(await send('['.repeat(40))).toMatchObject({ code: 'INVALID_PAYLOAD' })
    expect(await send('{')).toMatchObject({ code: 'INVALID_PAYLOAD' })
  })

  it('asks D1 nothing', async () => {
    const { token } = await uniquePerson(allScopes)
    const line = await lineAbout(await transact(token, [add(), { op: 'remove' }]))
    expect(line).toMatchObject({ operation: 'operations', status: 400 })
    expect(line).not.toHaveProperty('roundTrips')
  })
})

describe('the price of a transaction (contract, section 10)', () => {
  it('is paid once, for all of it, before anything is judged', async () => {
    const { token } = await uniquePerson(allScopes)
    const operations = Array.from({ length: 12 }, () => remove('nobody'))
    const first = await transact(token, operations)
    const second = await transact(token, operations)
    expect([first.status, second.status]).toEqual([404, 429])
    expect(first.headers['x-ratelimit-requested-tokens']).toBe('60')
    expect(Number(second.headers['x-ratelimit-remaining'])).toBeGreaterThanOrEqual(40)
  })

  it('is a 400 where it is above the burst, at the operations, and charged as the cheapest write', async () => {
    const { id, token } = await createUser()
    const on = { ...user(id), relationship: 'citizenships' }
    const ids = countries(...Array.from({ length: 21 }, () => 'NO'))
    const operations = [
      ...Array.from({ length: 3 }, () => ({ op: 'add', ref: on, data: ids })),
      ...Array.from({ length: 16 }, () => rename(id, 'X')),
    ]
    const answer = await transact(token, operations)
    expect([answer.status, answer.headers['x-ratelimit-requested-tokens']]).toEqual([400, '5'])
    expect(answer.document.errors).toMatchObject([
      { detail: expect.stringContaining('110 tokens'), source: { pointer: '/atomic:operations' } },
    ])
  })
})

it('quotas hold in a transaction as they do in requests (contract, section 15)', async () => {
  const { origin } = await variant({ QUOTA_OWNED: '2' })
  const { token } = await uniquePerson(allScopes)
  const three = await transact(token, [add(), add(), add()], { origin })
  expect([three.status, three.document.errors?.[0]]).toEqual([
    409,
    expect.objectContaining({ source: { pointer: '/atomic:operations/2/data' } }),
  ])
  expect((await transact(token, [add(), add()], { origin })).status).toBe(200)
})
