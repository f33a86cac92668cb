import { describe, expect, it } from 'vitest'
import { createUser, type OwnUser, toBrothers } from '../../support/people.ts'
import { get, request } from '../../support/service.ts'

/** A write of a user of each kind. */
const writes: readonly {
  readonly name: string
  readonly method: string
  readonly below: string
  readonly body?: (id: string) => unknown
}[] = [
  {
    name: 'PATCH of a user',
    method: 'PATCH',
    below: '',
    body: (id) => ({ data: { type: 'users', id, attributes: { fullName: 'Renamed' } } }),
  },
  ...['PATCH', 'POST', 'DELETE'].map((method) => ({
    name: `${method} of relatives`,
    method,
    below: '/relationships/relatives',
    body: () => toBrothers('1'),
  })),
  {
    name: 'PATCH of placeOfBirth',
    method: 'PATCH',
    below: '/relationships/placeOfBirth',
    body: () => ({ data: { type: 'countries', id: 'NO' } }),
  },
  { name: 'DELETE of a user', method: 'DELETE', below: '' },
]

type Write = (typeof writes)[number]

function send(
  { method, below, body }: Write,
  { id, token }: Pick<OwnUser, 'id' | 'token'>,
  headers: Readonly<Record<string, string>> = {},
) {
  return request(method, `/jsonapi/users/${id}${below}`, {
    token,
    ...(body && { body: body(id) }),
    headers,
  })
}

const rename = writes[0] as Write
/** The writes of the user itself, and one of a relationship. */
const ofEachKind = writes.filter(({ method, below }) => below === '' || method === 'POST')
const tagAt = async (path: string, token: string): Promise<string> =>
  (await get(path, token)).headers.etag ?? ''
const revisionOf = (tag = ''): string => /^"([\w-]+)\./.exec(tag)?.[1] ?? 'none'

describe.each(writes)('$name makes a new revision', (write) => {
  it('and its 204 has the tag of it, which serves If-Match and never If-None-Match', async () => {
    const user = await createUser()
    const before = await tagAt(`/users/${user.id}`, user.token)
    const { status, headers } = await send(write, user)
    expect(status).toBe(204)
    if (write.name === 'DELETE of a user') {
      expect(headers).not.toHaveProperty('etag')
      return
    }
    const tag = headers.etag ?? ''
    expect(tag).toMatch(/^"[0-9a-f]{24}\."$/)
    expect(revisionOf(tag)).not.toBe(revisionOf(before))
    const after = await get(`/users/${user.id}`, user.token, { headers: { 'if-none-match': tag } })
    expect([after.status, revisionOf(after.headers.etag)]).toEqual([200, revisionOf(tag)])
    expect((await send(rename, user, { 'if-match': tag })).status).toBe(204)
  })
})

// That a write is refused under the tag of an earlier revision, and writes nothing, the random model shows (test/http/model).
it('If-Match lets one of many edits of the same state through', async () => {
  const user = await createUser()
  const tag = await tagAt(`/users/${user.id}`, user.token)
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => send(rename, user, { 'if-match': tag })),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array(7).fill(412)])
})

describe.each(ofEachKind)('$name with If-None-Match (RFC 9110, section 13.1.2)', (write) => {
  it('is 412 where it names the state of the user, or is *, and nothing is written', async () => {
    const user = await createUser()
    const before = await get(`/users/${user.id}`, user.token)
    for (const tag of [`"x.y", ${before.headers.etag}`, '*']) {
      const { status, document } = await send(write, user, { 'if-none-match': tag })
      expect([status, document.errors]).toMatchObject([
        412,
        [{ code: 'PRECONDITION_FAILED', source: { header: 'If-None-Match' } }],
      ])
    }
    const after = await get(`/users/${user.id}`, user.token)
    expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag])
  })

  it('is done where it names another state, and 403 or 404 whatever it names', async () => {
    const user = await createUser()
    const { etag: stale = '' } = (await get(`/users/${user.id}`, user.token)).headers
    const { token } = await createUser()
    const any = { 'if-none-match': '*' }
    expect((await send(write, { id: user.id, token }, any)).status).toBe(403)
    expect((await send(write, { id: 'nobody', token }, any)).status).toBe(404)
    await send(rename, user)
    expect((await send(write, user, { 'if-none-match': `${stale}, "x"` })).status).toBe(204)
  })
})

it('A create with If-None-Match is 412 where it is *, since its collection exists, and nothing is created', async () => {
  const { token } = await createUser()
  const email = `${crypto.randomUUID()}@example.com`
  const body = { data: { type: 'users', attributes: { fullName: 'A', email } } }
  const create = (tag: string) =>
    request('POST', '/jsonapi/users', { token, body, headers: { 'if-none-match': tag } })
  const { status, document } = await create('*')
  expect([status, document.errors?.[0]?.source]).toEqual([412, { header: 'If-None-Match' }])
  expect((await create('"x.y"')).status).toBe(201)
})
