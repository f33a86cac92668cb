import { describe, expect, inject, it } from 'vitest'
import { createUser as createUserAt, newUser, toBrothers } from '../../../support/people.ts'
import {
  clientToken,
  configuredService,
  get as getAt,
  type RequestOptions,
  request as requestAt,
  uniquePerson,
} from '../../../support/service.ts'

/** A service whose database is replicated. */
const replicated = await configuredService()

const request = (method: string, path: string, options: RequestOptions = {}) =>
  requestAt(method, path, { origin: replicated.origin, ...options })
const get = (path: string, token: string, options: RequestOptions = {}) =>
  getAt(path, token, { origin: replicated.origin, ...options })
const createUser = () => createUserAt({}, replicated.origin)

const format = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/** Headers of a request that carries a bookmark. */
function carrying(bookmark: string) {
  return { headers: { 'X-D1-Bookmark': bookmark } }
}

// Hyperdrive has no replicas with bookmarks.
describe.skipIf(inject('database') !== 'D1')('A service that reads from replicas', () => {
  it('answers every kind of write with a bookmark', async () => {
    const { id, token } = await createUser()
    const relatives = `/jsonapi/users/${id}/relationships/relatives`
    const data = { type: 'users', id, attributes: { fullName: 'Changed' } }
    const answers = [
      await request('PATCH', `/jsonapi/users/${id}`, { token, body: { data } }),
      await request('POST', relatives, { token, body: toBrothers('1') }),
      await request('PATCH', relatives, { token, body: { data: [] } }),
      await request('DELETE', relatives, { token, body: toBrothers('1') }),
      await request('DELETE', `/jsonapi/users/${id}`, { token }),
    ]
    for (const { status, headers } of answers) {
      expect(status).toBe(204)
      expect(headers['x-d1-bookmark']).toMatch(format)
    }
  })

  it('reads its own write with the bookmark of the write, and gets one back to go on with, from memory, too', async () => {
    const { token } = await uniquePerson('users.read users.write')
    const body = newUser({ attributes: { fullName: 'Own Write' } })
    const made = await request('POST', '/jsonapi/users', { token, body })
    const { id } = made.document.data
    const bookmark = String(made.headers['x-d1-bookmark'])
    expect(bookmark).toMatch(format)
    const read = await get(`/users/${id}`, token, carrying(bookmark))
    expect(read.status).toBe(200)
    expect(read.document.data.attributes.fullName).toBe('Own Write')
    const fromMemory = await get('/currencies', token, carrying(bookmark))
    for (const { headers } of [read, fromMemory]) {
      expect(headers['x-d1-bookmark']).toMatch(format)
    }
  })

  it('gives no bookmark to a read that brought none, nor with a refusal', async () => {
    const { token } = await uniquePerson()
    for (const answer of [await get('/users', token), await get('/users/none', token)]) {
      expect(answer.headers).not.toHaveProperty('x-d1-bookmark')
    }
  })

  it.each([
    ['is a constraint of D1', 'first-primary'],
    ['is too long', `${'00000001-'.repeat(3)}${'0'.repeat(33)}`],
    ['is huge', 'f'.repeat(8_000)],
    ['holds bytes above ASCII', '\u00ff\u00fe\u00fd'],
  ])('ignores a bookmark that %s', async (_, bookmark) => {
    const answer = await get('/users?page[limit]=1', await clientToken(), {
      headers: { 'X-D1-Bookmark': bookmark },
    })
    expect(answer.status).toBe(200)
    expect(answer.document.data).toHaveLength(1)
    expect(answer.headers['x-d1-bookmark']).toMatch(format)
  })
})

it('A service that does not read from replicas answers a write without a bookmark, and ignores one that is sent', async () => {
  const { id, token } = await createUserAt()
  const invented = `ffffffff-ffffffff-ffffffff-${'f'.repeat(32)}`
  const read = await getAt(`/users/${id}`, token, carrying(invented))
  expect(read.status).toBe(200)
  const deleted = await requestAt('DELETE', `/jsonapi/users/${id}`, { token })
  expect(deleted.status).toBe(204)
  for (const { headers } of [read, deleted]) {
    expect(headers).not.toHaveProperty('x-d1-bookmark')
  }
})
