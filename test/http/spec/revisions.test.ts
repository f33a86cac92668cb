import { describe, expect, it } from 'vitest'
import { createUser } from '../../support/people.ts'
import { client, clientToken, get, request, uniquePerson } from '../../support/service.ts'

const tagAt = async (path: string, token: string): Promise<string> =>
  (await get(path, token)).headers.etag ?? ''
const revisionOf = (tag = ''): string => /^"([\w-]+)\./.exec(tag)?.[1] ?? 'none'

describe('the ETag of a user (contract, section 9)', () => {
  it.each([
    '',
    '/relationships/citizenships',
    '/relationships/placeOfBirth',
    '/relationships/relatives',
  ])('is a revision and a digest at GET /users/{id}%s', async (below) => {
    const { id, token } = await createUser()
    expect(await tagAt(`/users/${id}${below}`, token)).toMatch(/^"[0-9a-f]{24}\.[\w+/-]{22}"$/)
  })

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

  it('is not to be read as an attribute, and no attribute takes its name', async () => {
    const { id, token } = await createUser()
    const user = await get(`/users/${id}`, token)
    expect(user.text).not.toContain(revisionOf(user.headers.etag))
    expect(user.text).not.toContain('revision')
    expect((await get(`/users/${id}?fields[users]=revision`, token)).status).toBe(400)
    expect((await get('/users?sort=revision', token)).status).toBe(400)
  })
})

describe('If-Match on a read is honoured (contract, section 9)', () => {
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

  it.each(['/users', '/countries', '/countries/NO', '/currencies'])('of %s', async (path) => {
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
