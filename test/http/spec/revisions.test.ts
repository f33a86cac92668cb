import { describe, expect, it } from 'vitest'
import { createUser, toBrothers } from '../../support/people.ts'
import { client, clientToken, get, person, request, uniquePerson } from '../../support/service.ts'
import { allScopes } from '../api/writes/writers.ts'

const tagAt = async (path: string, token: string): Promise<string> =>
  (await get(path, token)).headers.etag ?? ''
const revisionOf = (tag = ''): string => /^"([\w-]+)\./.exec(tag)?.[1] ?? 'none'

describe('the ETag of a user', () => {
  it('has one revision in every view, and a digest for each', async () => {
    const { id, token } = await createUser()
    const views = ['', '?include=relatives', '?fields[users]=email', '/relationships/relatives']
    const tags = await Promise.all(views.map((view) => tagAt(`/users/${id}${view}`, token)))
    expect(new Set(tags.map(revisionOf)).size).toBe(1)
    expect(new Set(tags).size).toBe(views.length)
  })

  it('is on the 201 of a create, and good for what GET answers then', async () => {
    const { token } = await uniquePerson('users.read users.write')
    const email = `${crypto.randomUUID()}@example.com`
    const body = { data: { type: 'users', attributes: { fullName: 'A', email } } }
    const { status, headers, document } = await request('POST', '/jsonapi/users', { token, body })
    expect([status, headers.etag]).toEqual([201, expect.stringMatching(/^"[0-9a-f]{24}\..{22}"$/)])
    const again = await get(`/users/${document.data.id}`, token, {
      headers: { 'if-none-match': headers.etag ?? '' },
    })
    expect(again.status).toBe(304)
  })

  it('names no revision where many users are shown, or none', async () => {
    const { token } = await createUser()
    expect(revisionOf(await tagAt('/users', token))).toBe('none')
    expect(revisionOf(await tagAt('/countries/NO', token))).toBe('none')
  })
})

describe('the ETag of a user for anyone but the owner', () => {
  const callers: readonly { readonly who: string; token(owner: string): Promise<string> }[] = [
    { who: 'a machine', token: () => client() },
    {
      who: 'another person, with all scopes',
      token: async () => (await uniquePerson(allScopes)).token,
    },
    { who: 'the owner with a token without a scope', token: (owner) => person(owner, '') },
  ]
  const views = [
    '',
    '?include=relatives,placeOfBirth',
    '/relationships/citizenships',
    '/relationships/relatives',
    '/relatives',
  ]

  it.each(callers)('has no revision, and tells $who nothing of a card', async ({ token }) => {
    const user = await createUser({ relationships: { relatives: toBrothers('1') } })
    const theirs = await token(user.owner)
    const path = `/users/${user.id}`
    const lists = [`/users?filter[id]=${user.id}`]
    const read = async () => {
      const answers = await Promise.all(
        [...views.map((view) => path + view), ...lists].map((one) => get(one, theirs)),
      )
      return answers.filter(({ status }) => status === 200).map(({ headers }) => headers.etag ?? '')
    }
    const before = await read()
    expect(before.length).toBeGreaterThan(2)
    for (const tag of before) {
      expect(tag).toMatch(/^"[A-Za-z0-9+/]{22}"$/)
    }
    const attributes = { creditCardNumber: '4242 4242 4242 4242' }
    const body = { data: { type: 'users', id: user.id, attributes } }
    const changed = await request('PATCH', `/jsonapi${path}`, { token: user.token, body })
    expect(changed.status).toBe(204)
    expect(await read()).toEqual(before)
    const again = await get(path, theirs, { headers: { 'if-none-match': before[0] ?? '' } })
    expect(again.status).toBe(304)
  })

  it('serves If-Match on a read as a whole', async () => {
    const user = await createUser()
    const theirs = (await uniquePerson(allScopes)).token
    const path = `/users/${user.id}`
    const [own, owners] = [await tagAt(path, theirs), await tagAt(path, user.token)]
    const status = async (ifMatch: string, at = path) =>
      (await get(at, theirs, { headers: { 'if-match': ifMatch } })).status
    expect(await status(own)).toBe(200)
    expect(await status(`"x", W/${own}`)).toBe(200)
    expect(await status('*')).toBe(200)
    // What the owner was told is no state that others may compare with.
    expect(await status(owners)).toBe(412)
    expect(await status(`"${revisionOf(owners)}."`)).toBe(412)
    // A tag without a revision is that of one view.
    expect(await status(own, `${path}?fields[users]=`)).toBe(412)
    expect(await status('*', '/users/nobody')).toBe(404)
  })

  it('names no state for a write: 412 for the owner, 403 for others', async () => {
    const user = await createUser()
    const path = `/users/${user.id}`
    const without = await tagAt(path, await client())
    const other = await uniquePerson('users.write')
    const write = (token: string, ifMatch: string, below = '', id = user.id) =>
      request(below === '' ? 'PATCH' : 'POST', `/jsonapi/users/${id}${below}`, {
        token,
        headers: { 'if-match': ifMatch },
        body:
          below === ''
            ? { data: { type: 'users', id, attributes: { fullName: 'Renamed' } } }
            : toBrothers('1'),
      })
    for (const below of ['', '/relationships/relatives']) {
      expect((await write(user.token, without, below)).status).toBe(412)
      expect((await write(other.token, without, below)).status).toBe(403)
      expect((await write(other.token, '*', below)).status).toBe(403)
      expect((await write(user.token, without, below, 'nobody')).status).toBe(404)
    }
    // Any tag of the owner in the list is enough.
    const owners = await tagAt(path, user.token)
    expect((await write(user.token, `${without}, ${owners}`)).status).toBe(204)
  })
})

describe('If-Match on a read is honoured', () => {
  it.each([
    ['the tag itself', (tag: string) => tag, 200],
    ['the tag of a write', (tag: string) => `"${revisionOf(tag)}."`, 200],
    ['the tag of another view', (tag: string) => `"${revisionOf(tag)}.other"`, 200],
    ['*', () => '*', 200],
    ['another revision', () => '"x.y"', 412],
  ])('of a user: %s', async (_, form, status) => {
    const { id, token } = await createUser()
    const tag = await tagAt(`/users/${id}`, token)
    const answer = await get(`/users/${id}`, token, { headers: { 'if-match': form(tag) } })
    expect(answer.status).toBe(status)
  })

  // Other tests add users to the whole list at the same time.
  it.each(['/users?filter[id]=1', '/countries/NO'])('of %s', async (path) => {
    const token = await clientToken()
    const tag = await tagAt(path, token)
    const status = async (ifMatch: string) =>
      (await get(path, await client(), { headers: { 'if-match': ifMatch } })).status
    expect(await status('"x"')).toBe(412)
    expect(await status(`"x", W/${tag}`)).toBe(200)
  })

  it('before If-None-Match, and never in place of a 404', async () => {
    const { id, token } = await createUser()
    const tag = await tagAt(`/users/${id}`, token)
    const both = { 'if-match': '"x.y"', 'if-none-match': tag }
    expect((await get(`/users/${id}`, token, { headers: both })).status).toBe(412)
    const missing = await get('/users/nobody', token, { headers: { 'if-match': '"x.y"' } })
    expect(missing.status).toBe(404)
  })
})
