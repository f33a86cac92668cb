import { describe, expect, it } from 'vitest'
import { createUser, type OwnUser, toBrothers, toCountries } from '../../support/people.ts'
import { get, request, uniquePerson } from '../../support/service.ts'

/** Every write of a user (contract, section 1, operations 8, 9, 11 to 13, 15, 17 to 19). */
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
  ...['PATCH', 'POST', 'DELETE'].flatMap((method) => [
    {
      name: `${method} of citizenships`,
      method,
      below: '/relationships/citizenships',
      body: () => toCountries('NO'),
    },
    {
      name: `${method} of relatives`,
      method,
      below: '/relationships/relatives',
      body: () => toBrothers('1'),
    },
  ]),
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
  ifMatch?: string,
) {
  return request(method, `/jsonapi/users/${id}${below}`, {
    token,
    ...(body && { body: body(id) }),
    ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }),
  })
}

const rename = writes[0] as Write
const tagAt = async (path: string, token: string): Promise<string> =>
  (await get(path, token)).headers.etag ?? ''
const revisionOf = (tag = ''): string => /^"([\w-]+)\./.exec(tag)?.[1] ?? 'none'

describe.each(writes)('$name makes a new revision (contract, section 9)', (write) => {
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
    expect((await send(rename, user, tag)).status).toBe(204)
  })

  it('where If-Match brings the tag of the user, and not where it brings one from before another write: 412, and nothing is written', async () => {
    const user = await createUser()
    const stale = await tagAt(`/users/${user.id}`, user.token)
    await send(rename, user)
    const before = await get(`/users/${user.id}`, user.token)
    const { status, document } = await send(write, user, stale)
    expect([status, document.errors]).toEqual([
      412,
      [
        expect.objectContaining({
          status: '412',
          code: 'PRECONDITION_FAILED',
          source: { header: 'If-Match' },
        }),
      ],
    ])
    const after = await get(`/users/${user.id}`, user.token)
    expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag])
    expect((await send(write, user, after.headers.etag)).status).toBe(204)
  })
})

describe('If-Match of a write (contract, section 9)', () => {
  it.each([
    ['the tag of a view with include', '?include=relatives', (tag: string) => tag, 204],
    ['the tag of a relationship', '/relationships/relatives', (tag: string) => tag, 204],
    ['a list with the tag in it', '', (tag: string) => `"x.y", ${tag} , "z"`, 204],
    ['a tag that a proxy has weakened', '', (tag: string) => `W/${tag}`, 204],
    ['*', '', () => '*', 204],
    ['a list without the tag', '', () => '"x.y", "z"', 412],
    ['what is no tag', '', () => 'x', 412],
  ] as const)('that brings %s', async (_, view, form, status) => {
    const user = await createUser()
    const tag = await tagAt(`/users/${user.id}${view}`, user.token)
    expect((await send(rename, user, form(tag))).status).toBe(status)
  })
})

describe('the order in which If-Match is judged (RFC 9110, section 13.2.1; contract, section 2)', () => {
  it('is after 404 of the user and 403 of ownership, for * too', async () => {
    const mine = await createUser()
    const theirs = await createUser()
    const statuses = async (ifMatch: string) =>
      Promise.all(
        [crypto.randomUUID(), theirs.id].map(
          async (id) => (await send(rename, { id, token: mine.token }, ifMatch)).status,
        ),
      )
    expect(await statuses('"x.y"')).toEqual([404, 403])
    expect(await statuses('*')).toEqual([404, 403])
  })

  it('is before 404 of targets and 409 of conflicts', async () => {
    const { id, token } = await createUser()
    const other = await createUser({ attributes: { email: `${crypto.randomUUID()}@example.com` } })
    const { attributes } = (await get(`/users/${other.id}`, other.token)).document.data
    const sent = async (data: object) =>
      (
        await request('PATCH', `/jsonapi/users/${id}`, {
          token,
          body: { data: { type: 'users', id, ...data } },
          headers: { 'if-match': '"x.y"' },
        })
      ).status
    expect(await sent({ relationships: { citizenships: toCountries('XX') } })).toBe(412)
    expect(await sent({ attributes: { email: attributes.email } })).toBe(412)
    expect(await sent({ attributes: { email: 7 } })).toBe(400)
  })

  it('lets one of many edits of the same state through', async () => {
    const user = await createUser()
    const tag = await tagAt(`/users/${user.id}`, user.token)
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(rename, user, tag)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array(7).fill(412)])
  })
})

describe('If-Match on a create (contract, section 9)', () => {
  it.each([
    ['*', 201],
    ['"x.y"', 412],
    ['x', 412],
  ])(
    'of %s is answered %d, since a create changes no state that could be named',
    async (ifMatch, status) => {
      const { token } = await uniquePerson('users.write')
      const email = `${crypto.randomUUID()}@example.com`
      const body = { data: { type: 'users', attributes: { fullName: 'A', email } } }
      const headers = { 'if-match': ifMatch }
      expect((await request('POST', '/jsonapi/users', { token, body, headers })).status).toBe(
        status,
      )
    },
  )
})
