import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { encodeCursor } from '../../../src/jsonapi/cursor.ts'
import { createUser as createUserAt } from '../../harness/people.ts'
import {
  type BackDoor,
  clientToken,
  get as getAt,
  type RequestOptions,
  request as requestAt,
  uniquePerson,
  variant,
} from '../../harness/service.ts'

/** The service as it is where the database is replicated. */
let replicated: BackDoor
beforeAll(async () => {
  replicated = await variant({ D1_REPLICATION: 'true' })
})

const request = (method: string, path: string, options: RequestOptions = {}) =>
  requestAt(method, path, { origin: replicated.origin, ...options })
const get = (path: string, token: string, options: RequestOptions = {}) =>
  getAt(path, token, { origin: replicated.origin, ...options })
const createUser = () => createUserAt({}, replicated.origin)

const format = /^[0-9A-Za-z]{40,}$/

/** As D1 writes it, not as the service hands it on. */
const state = `${'00000001-'.repeat(3)}${'0'.repeat(32)}`

/** Headers of a request that carries a bookmark. */
function carrying(bookmark: string) {
  return { headers: { 'X-D1-Bookmark': bookmark } }
}

describe('Reading close to the user (issue "Run it for real"; platform notes, 1.5)', () => {
  it('answers every kind of write with a bookmark', async () => {
    const { id, token } = await createUser()
    const relatives = `/jsonapi/users/${id}/relationships/relatives`
    const link = [{ type: 'users', id: '1', meta: { relationshipType: 'BROTHER' } }]
    const data = { type: 'users', id, attributes: { fullName: 'Changed' } }
    const answers = [
      await request('PATCH', `/jsonapi/users/${id}`, { token, body: { data } }),
      await request('POST', relatives, { token, body: { data: link } }),
      await request('PATCH', relatives, { token, body: { data: [] } }),
      await request('DELETE', relatives, { token, body: { data: link } }),
      await request('DELETE', `/jsonapi/users/${id}`, { token }),
    ]
    for (const { status, headers } of answers) {
      expect(status).toBe(204)
      expect(headers['x-d1-bookmark']).toMatch(format)
    }
  })

  it('reads its own write with the bookmark of the write, and gets one back to go on with', async () => {
    const { token } = await uniquePerson('users.read users.write')
    const attributes = { fullName: 'Own Write', email: `${crypto.randomUUID()}@example.com` }
    const made = await request('POST', '/jsonapi/users', {
      token,
      body: { data: { type: 'users', attributes } },
    })
    const bookmark = String(made.headers['x-d1-bookmark'])
    expect(bookmark).toMatch(format)
    const read = await get(`/users/${made.document.data.id}`, token, carrying(bookmark))
    expect(read.status).toBe(200)
    expect(read.document.data.attributes.fullName).toBe('Own Write')
    expect(read.headers['x-d1-bookmark']).toMatch(format)
  })

  it('gives none to a read that brought none, nor to a refusal', async () => {
    const { token } = await uniquePerson()
    for (const answer of [await get('/users', token), await get('/users/none', token)]) {
      expect(answer.headers).not.toHaveProperty('x-d1-bookmark')
    }
  })

  it.each([
    ['is no bookmark', 'first-primary'],
    ['is empty', ''],
    ["is D1's own", state],
    ['is of another database', encodeCursor('bookmark of another', { keys: [state], limit: 1 })],
    ['is a cursor', encodeCursor('["/jsonapi/users",[],[]]', { keys: [state], limit: 1 })],
    ['holds capital letters', `${'0000000A-'.repeat(3)}${'0'.repeat(32)}`],
    ['is too long by one', `${'0'.repeat(8)}-${'0'.repeat(8)}-${'0'.repeat(8)}-${'0'.repeat(33)}`],
    ['is huge', 'f'.repeat(8_000)],
    ['holds bytes above ASCII', '\u00ff\u00fe\u00fd'],
    ['comes twice', ['first-primary', '0'.repeat(40)]],
    ['is SQL', "'; DROP TABLE users; --"],
  ])('ignores one that %s', async (_, bookmark) => {
    const answer = await get('/users?page[limit]=1', await clientToken(), {
      headers: { 'X-D1-Bookmark': bookmark },
    })
    expect(answer.status).toBe(200)
    expect(answer.document.data).toHaveLength(1)
    // Only what D1 itself has said comes back: never what was sent.
    expect(answer.headers['x-d1-bookmark'] ?? '').not.toContain(bookmark || 'nothing')
  })

  it('does not wait for the future that a well-formed, invented one names', async () => {
    const invented = `ffffffff-ffffffff-ffffffff-${'f'.repeat(32)}`
    const { status, document } = await get('/users/1', await clientToken(), carrying(invented))
    expect(status).toBe(200)
    expect(document.data.id).toBe('1')
  })

  it('takes that of another database for what it is: a wish for something newer', async () => {
    const other = await variant({ D1_REPLICATION: 'true', SERVER_TIMING: 'false' })
    const { token } = await uniquePerson('users.write')
    const attributes = { fullName: 'Elsewhere', email: 'elsewhere@example.com' }
    const body = { data: { type: 'users', attributes } }
    const made = await request('POST', '/jsonapi/users', { token, body, origin: other.origin })
    const bookmark = String(made.headers['x-d1-bookmark'])
    expect((await get('/users/1', await clientToken(), carrying(bookmark))).status).toBe(200)
  })

  it('takes one on writes too', async () => {
    const { id, token } = await createUser()
    const answer = await request('DELETE', `/jsonapi/users/${id}`, { token, ...carrying('x') })
    expect(answer.status).toBe(204)
    expect(answer.headers['x-d1-bookmark']).toMatch(format)
  })
})

describe('With replication off', () => {
  it('answers a write without a bookmark, and takes no notice of one', async () => {
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
})

describe('A bookmark with control characters, sent over a bare socket', () => {
  it.each([
    ['a carriage return', 'a\rb'],
    ['a NUL', 'a\0b'],
    ['a line feed and another header', 'a\n b'],
  ])('with %s never makes a 500', async (_, bookmark) => {
    const { hostname, port } = new URL(replicated.origin)
    const token = await clientToken()
    const answer = await new Promise<string>((resolve, reject) => {
      const chunks: Buffer[] = []
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `GET /jsonapi/users HTTP/1.1\r\nHost: x\r\nAccept: */*\r\nConnection: close\r\n` +
            `Authorization: Bearer ${token}\r\nX-D1-Bookmark: ${bookmark}\r\n\r\n`,
        )
      })
      socket.on('data', (chunk) => chunks.push(chunk))
      socket.on('end', () => resolve(Buffer.concat(chunks).toString()))
      socket.on('error', reject)
    })
    expect(answer).toMatch(/^HTTP\/1\.1 (200|400) /)
  })
})
