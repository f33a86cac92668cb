import { describe, expect, it } from 'vitest'
import { lineAbout } from '../../support/log.ts'
import { allScopes, createUser } from '../../support/people.ts'
import { mediaType, request, uniquePerson } from '../../support/service.ts'
import { atomicType, transact } from '../../support/transactions.ts'
import { add, relatives, rename, user } from '../api/writes/operations.ts'
import { countries } from '../api/writes/writers.ts'

const withProfile = `${atomicType}; profile="https://example.com/p"`

describe('the media type of transactions (JSON:API 1.1, "Extension Rules")', () => {
  it.each([
    [atomicType, 200],
    ['', 200],
    [mediaType, 406],
  ])('as Accept %s is answered %d', async (accept, status) => {
    const { token } = await uniquePerson(allScopes)
    const answer = await transact(token, [add()], { headers: { accept } })
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toBe(status === 200 ? atomicType : mediaType)
  })

  it.each([
    [withProfile, 200],
    [mediaType, 415],
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

it('The path /operations takes POST and OPTIONS alone', async () => {
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
    const { status, headers } = await request(method, '/jsonapi/operations')
    expect([status, headers.allow]).toEqual([405, 'POST, OPTIONS'])
  }
  const { status, headers } = await request('OPTIONS', '/jsonapi/operations')
  expect([status, headers.allow]).toEqual([204, 'POST, OPTIONS'])
  expect(headers['accept-post']).toBe(atomicType)
})

describe('a transaction that is not valid', () => {
  it('is told every fault that the request shows, of all operations, query and headers', async () => {
    const { token } = await uniquePerson(allScopes)
    const { data } = add('a', { attributes: { email: 7 } })
    const answer = await request('POST', '/jsonapi/operations?include=relatives', {
      token,
      headers: {
        accept: atomicType,
        'content-type': atomicType,
        'if-match': '"x.y"',
        'if-none-match': '*',
      },
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
      ['400', 'VALUE_INVALID_FORMAT', { header: 'If-None-Match' }],
      ['400', 'VALUE_INVALID_FORMAT', { pointer: '/atomic:operations/0/data/attributes/email' }],
      ['400', 'VALUE_INVALID_FORMAT', { pointer: '/atomic:operations/1/ref/lid' }],
      ['400', 'VALUE_IS_ABSENT', { pointer: '/atomic:operations/1/data/0' }],
      ['404', 'NOT_FOUND', { pointer: '/atomic:operations/2/ref/type' }],
    ])
  })

  it('asks D1 nothing', async () => {
    const { token } = await uniquePerson(allScopes)
    const line = await lineAbout(await transact(token, [add(), { op: 'remove' }]))
    expect(line).toMatchObject({ operation: 'operations', status: 400 })
    expect(line).not.toHaveProperty('roundTrips')
  })
})

it('the price of a transaction is a 400 where it is above the burst, at the operations, and charged as the cheapest write', async () => {
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
