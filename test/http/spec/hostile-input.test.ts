import { describe, expect, it } from 'vitest'
import { clientToken, get, person, reader, request, uniqueAddress } from '../../support/service.ts'

describe('hostile input gets a 400, never a 500', () => {
  const queries = [
    'filter[id]=%00',
    'filter[id]=%ED%A0%80',
    'filter[id]=%',
    '=1',
    'filter[id]=%E0%A4%A',
    '%00=1',
    '%=1',
    '__proto__=1',
    'constructor=1',
    'include=%00',
    'fields[__proto__]=name',
    'filter=1',
    'page[cursor]=%F0%9F%92%A9',
    `include=${'relatives,'.repeat(400)}`,
    "id'%20OR%201=1--=1",
  ]

  it.each(queries)('in the query: %s', async (query) => {
    const answer = await get(`/users?${query}`, await reader())
    expect(answer.status).toBe(400)
    for (const { source } of answer.document.errors ?? []) {
      expect(source?.parameter).toEqual(expect.any(String))
    }
  })

  const ids = ['%00', 'a%00b', '%', '%E0%A4%A', '%ED%A0%80', 'x'.repeat(65), '%20'.repeat(65)]

  it.each(ids)('in the path: %s', async (id) => {
    for (const path of [`/users/${id}`, `/countries/${id}/relationships/currencies`]) {
      const answer = await get(path, await person(uniqueAddress()))
      expect(answer.faults).toEqual(['400 VALUE_INVALID_FORMAT path id'])
    }
  })

  it.each(['..%2F..%2Fetc', "1'--", '%F0%9F%92%A9'.repeat(64), '%E2%80%AE'])(
    'an id that only looks bad is not found: %s',
    async (id) => {
      expect((await get(`/users/${id}`, await clientToken())).status).toBe(404)
    },
  )

  it('a path is decoded up to 2,048 characters, and a longer one is not', async () => {
    // `%6a` is an encoded `j`: only a path that is decoded is one of this service.
    const ofLength = (length: number) => '/%6asonapi/users/'.padEnd(length, 'x')
    expect((await request('GET', ofLength(2_048))).status).toBe(401)
    expect((await request('GET', ofLength(2_049))).status).toBe(404)
  })

  it('a query string of 4,096 characters is judged, and a longer one is refused alone, in the answer to HEAD, too', async () => {
    const ofLength = (length: number) => '/countries?x='.padEnd('/countries?'.length + length, 'x')
    const { document } = await get(ofLength(4_096), await clientToken())
    expect(document.errors).toMatchObject([{ code: 'UNEXPECTED_PARAMETER' }])
    const { faults } = await get(ofLength(4_097), await clientToken())
    expect(faults).toEqual(['400 VALUE_INVALID_FORMAT'])
    const head = await request('HEAD', `/jsonapi${ofLength(4_097)}`, { token: await clientToken() })
    expect(head.status).toBe(400)
  })
})
