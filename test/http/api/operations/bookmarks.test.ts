import { describe, expect, inject, it } from 'vitest'
import { allScopes, createUser, newUser, toBrothers } from '../../../support/people.ts'
import { clientToken, configuredService, request, uniquePerson } from '../../../support/service.ts'

/** A service whose database is replicated. */
const { origin } = await configuredService()

const format = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/** Sends a GET to it, which carries a bookmark. */
function read(path: string, token: string, bookmark: string | readonly string[] = []) {
  const headers = { 'X-D1-Bookmark': bookmark }
  return request('GET', `/jsonapi${path}`, { token, headers, origin })
}

// Hyperdrive has no replicas with bookmarks.
describe.skipIf(inject('database') !== 'D1')('A service that reads from replicas', () => {
  it('answers every kind of write with a bookmark, gives one to a read with it that sees the write, and to one from memory', async () => {
    const { token } = await uniquePerson(allScopes)
    const made = await request('POST', '/jsonapi/users', { token, body: newUser(), origin })
    expect(made.headers['x-d1-bookmark']).toMatch(format)
    const { id } = made.document.data
    const relatives = '/relationships/relatives'
    const data = { type: 'users', id, attributes: { fullName: 'Changed' } }
    for (const [method, below, body] of [
      ['POST', relatives, toBrothers('1')],
      ['PATCH', relatives, { data: [] }],
      ['DELETE', relatives, toBrothers('1')],
      ['PATCH', '', { data }],
    ] as const) {
      const options = { token, body, origin }
      const { status, headers } = await request(method, `/jsonapi/users/${id}${below}`, options)
      expect(status).toBe(204)
      expect(headers['x-d1-bookmark']).toMatch(format)
      const seen = await read(`/users/${id}`, token, headers['x-d1-bookmark'])
      const name = below === '' ? 'Changed' : 'Ann Bee'
      expect(seen.document.data.attributes.fullName).toBe(name)
      const fromMemory = await read('/currencies', token, headers['x-d1-bookmark'])
      for (const answer of [seen, fromMemory]) {
        expect(answer.headers['x-d1-bookmark']).toMatch(format)
      }
    }
    const deleted = await request('DELETE', `/jsonapi/users/${id}`, { token, origin })
    expect(deleted.headers['x-d1-bookmark']).toMatch(format)
  })

  it('gives no bookmark to a read that brought none, nor with a refusal', async () => {
    const { token } = await uniquePerson()
    for (const answer of [await read('/users', token), await read('/users/none', token)]) {
      expect(answer.headers).not.toHaveProperty('x-d1-bookmark')
    }
  })

  it.each([
    ['is a constraint of D1', 'first-primary'],
    ['is too long', `${'00000001-'.repeat(3)}${'0'.repeat(33)}`],
    ['is huge', 'f'.repeat(8_000)],
    ['holds bytes above ASCII', '\u00ff\u00fe\u00fd'],
  ])('ignores a bookmark that %s', async (_, bookmark) => {
    const answer = await read('/users?page[limit]=1', await clientToken(), bookmark)
    expect(answer.status).toBe(200)
    expect(answer.document.data).toHaveLength(1)
    expect(answer.headers['x-d1-bookmark']).toMatch(format)
  })
})

it('A service that does not read from replicas answers a write without a bookmark, and ignores one that is sent', async () => {
  const { id, token } = await createUser()
  const headers = { 'X-D1-Bookmark': `ffffffff-ffffffff-ffffffff-${'f'.repeat(32)}` }
  for (const [method, expected] of [
    ['GET', 200],
    ['DELETE', 204],
  ] as const) {
    const answer = await request(method, `/jsonapi/users/${id}`, { token, headers })
    expect(answer.status).toBe(expected)
    expect(answer.headers).not.toHaveProperty('x-d1-bookmark')
  }
})
