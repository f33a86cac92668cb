import { describe, expect, it } from 'vitest'
import { allScopes, createUser, type OwnUser, toBrothers } from '../../support/people.ts'
import { clientToken, get, request, uniquePerson } from '../../support/service.ts'

const tagAt = async (path: string, token: string): Promise<string> =>
  (await get(path, token)).headers.etag ?? ''
const revisionOf = (tag = ''): string => /^"([\w-]+)\./.exec(tag)?.[1] ?? 'none'

/** The writes of a user. */
const writes: readonly {
  readonly name: string
  readonly below?: string
  readonly body?: (id: string) => unknown
}[] = [
  {
    name: 'PATCH of a user',
    body: (id) => ({ data: { type: 'users', id, attributes: { fullName: 'Renamed' } } }),
  },
  { name: 'DELETE of a user' },
  ...['POST', 'PATCH', 'DELETE'].map((method) => ({
    name: `${method} of relatives`,
    below: '/relationships/relatives',
    body: () => toBrothers('1'),
  })),
  {
    name: 'PATCH of placeOfBirth',
    below: '/relationships/placeOfBirth',
    body: () => ({ data: { type: 'countries', id: 'NO' } }),
  },
]
type Write = (typeof writes)[number]
const [rename, , add] = writes as readonly [Write, Write, Write]

function send(
  { name, below = '', body }: Write,
  { id, token }: Pick<OwnUser, 'id' | 'token'>,
  headers: Readonly<Record<string, string>> = {},
) {
  return request(name.split(' ')[0] ?? '', `/jsonapi/users/${id}${below}`, {
    token,
    ...(body && { body: body(id) }),
    headers,
  })
}

// Other tests add users to the whole list at the same time.
it.each(['/countries/NO', '/users?filter[id]=1,2', '/users/1/relationships/relatives'])(
  'GET %s has a strong tag, answers 304 to a client that has it, and 412 to one that wants another (RFC 9110)',
  async (path) => {
    const { token } = await uniquePerson()
    const full = await get(path, token)
    const tag = full.headers.etag ?? ''
    expect(tag).toMatch(/^"[^"]+"$/)
    const again = await get(path, token, { headers: { 'if-none-match': `"a", W/${tag}` } })
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', tag])
    expect(again.headers.vary).toBe('Accept, Authorization')
    expect(again.headers).toHaveProperty('x-ratelimit-remaining')
    expect(again.headers).not.toHaveProperty('content-type')
    for (const [ifMatch, status] of [
      [`"x", W/${tag}`, 200],
      ['"x"', 412],
    ] as const) {
      expect((await get(path, token, { headers: { 'if-match': ifMatch } })).status).toBe(status)
    }
  },
)

describe('the ETag of a user', () => {
  it('has one revision in every view, and a digest for each', async () => {
    const { id, token } = await createUser()
    const views = ['', '?include=relatives', '?fields[users]=email', '/relationships/relatives']
    const tags = await Promise.all(views.map((view) => tagAt(`/users/${id}${view}`, token)))
    expect(new Set(tags.map(revisionOf)).size).toBe(1)
    expect(new Set(tags).size).toBe(views.length)
    expect(revisionOf(await tagAt(`/users?filter[id]=${id}`, token))).toBe('none')
  })

  it('is on the 201 of a create, and good for what GET answers then', async () => {
    const { token } = await uniquePerson('users.read users.write')
    const email = `${crypto.randomUUID()}@example.com`
    const body = { data: { type: 'users', attributes: { fullName: 'A', email } } }
    const create = (tag: string) =>
      request('POST', '/jsonapi/users', { token, body, headers: { 'if-none-match': tag } })
    // The collection exists.
    const { faults } = await create('*')
    expect(faults).toEqual(['412 PRECONDITION_FAILED header If-None-Match'])
    const created = await create('"x.y"')
    expect([created.status, created.headers.etag]).toEqual([
      201,
      expect.stringMatching(/^"[0-9a-f]{24}\..{22}"$/),
    ])
    const again = await get(`/users/${created.document.data.id}`, token, {
      headers: { 'if-none-match': created.headers.etag ?? '' },
    })
    expect(again.status).toBe(304)
  })
})

it('the ETag of a user for anyone but the owner names no state for a write: 412 for the owner, 403 for others', async () => {
  const user = await createUser()
  const without = await tagAt(`/users/${user.id}`, await clientToken())
  const { token } = await uniquePerson('users.write')
  for (const write of [rename, add]) {
    const status = async (to: Pick<OwnUser, 'id' | 'token'>, tag: string) =>
      (await send(write, to, { 'if-match': tag })).status
    expect(await status(user, without)).toBe(412)
    expect(await status({ id: user.id, token }, without)).toBe(403)
    expect(await status({ id: user.id, token }, '*')).toBe(403)
    expect(await status({ ...user, id: 'nobody' }, without)).toBe(404)
  }
  // Any tag of the owner in the list is enough.
  const owners = await tagAt(`/users/${user.id}`, user.token)
  expect((await send(rename, user, { 'if-match': `${without}, ${owners}` })).status).toBe(204)
})

describe('If-Match on a read', () => {
  const stateOf = (tag: string) => `"${revisionOf(tag)}."`

  // What the owner was told is no state that others may compare with.
  it.each<
    [what: string, own: number, others: number, form: (tag: string, owners: string) => string]
  >([
    ['the tag itself', 200, 200, (tag) => tag],
    ['a list with the tag as a weak one', 200, 200, (tag) => `"x", W/${tag}`],
    ['*', 200, 200, () => '*'],
    ['another revision', 412, 412, () => '"x.y"'],
    ['the tag of a write', 200, 412, (_, owners) => stateOf(owners)],
    ['the tag of another view', 200, 412, (_, owners) => stateOf(owners).replace('."', '.other"')],
  ])(
    'of a user is honoured: with %s the owner gets %i, others get %i',
    async (_, own, others, form) => {
      const user = await createUser()
      const path = `/users/${user.id}`
      const owners = await tagAt(path, user.token)
      const theirs = (await uniquePerson(allScopes)).token
      const asked = async (token: string) => {
        const ifMatch = form(await tagAt(path, token), owners)
        return (await get(path, token, { headers: { 'if-match': ifMatch } })).status
      }
      expect([await asked(user.token), await asked(theirs)]).toEqual([own, others])
    },
  )

  it('compares a tag without a revision with one view, comes before If-None-Match, and never in place of a 404', async () => {
    const { id, token } = await createUser()
    const theirs = (await uniquePerson(allScopes)).token
    const [tag, own] = [await tagAt(`/users/${id}`, token), await tagAt(`/users/${id}`, theirs)]
    const status = async (path: string, by: string, headers: Record<string, string>) =>
      (await get(path, by, { headers })).status
    expect(await status(`/users/${id}?fields[users]=`, theirs, { 'if-match': own })).toBe(412)
    const both = { 'if-match': '"x.y"', 'if-none-match': tag }
    expect(await status(`/users/${id}`, token, both)).toBe(412)
    for (const name of ['if-match', 'if-none-match']) {
      expect(await status('/users/nobody', token, { [name]: '*' })).toBe(404)
      expect(await status('/users/nobody', token, { [name]: '"x.y"' })).toBe(404)
    }
  })
})

it.each(writes)(
  '$name with If-Match is 412 under the tag of an earlier state, and writes nothing; it is done under the newest, and its 204 has the next one, but for a user who is gone',
  async (write) => {
    const user = await createUser()
    const path = `/users/${user.id}`
    const earlier = await tagAt(path, user.token)
    await send(rename, user)
    const before = await get(path, user.token)
    const refused = await send(write, user, { 'if-match': earlier })
    expect(refused.faults).toEqual(['412 PRECONDITION_FAILED header If-Match'])
    const after = await get(path, user.token)
    expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag])
    const newest = `${earlier}, ${before.headers.etag}`
    const { status, headers } = await send(write, user, { 'if-match': newest })
    expect([status, headers['cache-control']]).toEqual([204, 'private, no-cache'])
    const tag = headers.etag ?? ''
    if (write.name === 'DELETE of a user') {
      expect(tag).toBe('')
      return
    }
    expect(tag).toMatch(/^"[0-9a-f]{24}\."$/)
    expect(revisionOf(tag)).not.toBe(revisionOf(before.headers.etag))
    const read = await get(path, user.token, { headers: { 'if-none-match': tag } })
    expect([read.status, revisionOf(read.headers.etag)]).toEqual([200, revisionOf(tag)])
    expect((await send(rename, user, { 'if-match': tag })).status).toBe(204)
  },
)

it('If-Match lets one of many edits of the same state through', async () => {
  const user = await createUser()
  const tag = await tagAt(`/users/${user.id}`, user.token)
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => send(rename, user, { 'if-match': tag })),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array(7).fill(412)])
})

it.each(writes.slice(0, 3))(
  '$name with If-None-Match is 412 where it names the state of the user, or is *, and is done where it names another (RFC 9110, section 13.1.2)',
  async (write) => {
    const user = await createUser()
    const before = await get(`/users/${user.id}`, user.token)
    for (const tag of [`"x.y", ${before.headers.etag}`, '*']) {
      const { faults } = await send(write, user, { 'if-none-match': tag })
      expect(faults).toEqual(['412 PRECONDITION_FAILED header If-None-Match'])
    }
    const after = await get(`/users/${user.id}`, user.token)
    expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag])
    const { token } = await uniquePerson(allScopes)
    const any = { 'if-none-match': '*' }
    expect((await send(write, { id: user.id, token }, any)).status).toBe(403)
    expect((await send(write, { id: 'nobody', token }, any)).status).toBe(404)
    await send(rename, user)
    const stale = { 'if-none-match': `${before.headers.etag}, "x"` }
    expect((await send(write, user, stale)).status).toBe(204)
  },
)
