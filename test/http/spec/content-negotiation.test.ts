import { describe, expect, it } from 'vitest'
import {
  type Answer,
  clientToken,
  get,
  mediaType,
  request as send,
  uniquePerson,
} from '../../support/service.ts'

/** What an answer says of the bodies that would be taken. */
const told = ({ headers }: Answer) =>
  ['accept-patch', 'accept-post', 'accept-encoding'].flatMap((name) =>
    headers[name] === undefined ? [] : `${name}: ${headers[name]}`,
  )

/** Sends a write of a person who owns nothing, with a body that no write takes. */
async function write(request: string, type: readonly string[] | string, coding: string) {
  const [method = '', path] = request.split(' ')
  const headers = { 'content-type': type, ...(coding && { 'content-encoding': coding }) }
  const { token } = await uniquePerson('users.write')
  return send(method, `/jsonapi${path}`, { token, headers, body: '{}' })
}

const [post, patch] = [`accept-post: ${mediaType}`, `accept-patch: ${mediaType}`]
const relatives = 'DELETE /users/1/relationships/relatives'

describe('Content-Type and Content-Encoding', () => {
  it.each<[request: string, type: readonly string[] | string, coding: string, taken: string[]]>([
    ['POST /users', [], '', [post]],
    ['POST /users', 'application/json', '', [post]],
    ['PATCH /users/1', [], '', [patch]],
    ['PATCH /users/1', 'application/json', '', [patch]],
    [relatives, [], '', []],
    [relatives, 'application/json', '', []],
    ['POST /users', mediaType, 'gzip', [post, 'accept-encoding: identity']],
    ['POST /users', mediaType, 'gzip, identity', [post, 'accept-encoding: identity']],
    ['POST /users', mediaType, 'identity, gzip', [post, 'accept-encoding: identity']],
    ['POST /users', 'text/plain', 'gzip', [post, 'accept-encoding: identity']],
  ])('of %s must not be %j and "%s", and the answer says so', async (sent, type, coding, taken) => {
    const answer = await write(sent, type, coding)
    const wrong = [coding && 'Content-Encoding', type === mediaType ? '' : 'Content-Type']
    expect(answer.faults).toEqual(
      wrong.filter(Boolean).map((name) => `415 UNSUPPORTED_MEDIA_TYPE header ${name}`),
    )
    expect(told(answer)).toEqual(taken)
    const details = answer.document.errors?.map(({ detail }) => detail).join()
    expect(details).toContain(coding && `"${coding}"`)
    if (type !== mediaType) {
      expect(details).toContain(typeof type === 'string' ? `"${type}"` : 'no Content-Type')
      expect(details).toContain(`must be ${mediaType}`)
    }
  })

  it.each([
    [400, 'POST /users', mediaType, 'Identity', 'identity is no coding'],
    [404, 'DELETE /users/nobody', 'text/plain', 'gzip', 'the DELETE of a user reads no body'],
    [403, 'GET /users/1/relatives', 'text/plain', 'gzip', 'a read has no 415'],
  ])('are answered %i for %s with %s and "%s", since %s', async (status, sent, type, coding) => {
    expect((await write(sent, type, coding)).status).toBe(status)
  })
})

it.each<[status: number, ask: () => Promise<Answer>]>([
  [200, async () => get('/countries', await clientToken())],
  [401, () => get('/countries')],
  [404, () => get('/planets')],
  [405, () => send('PUT', '/jsonapi/users')],
  [406, () => get('/users', undefined, { headers: { accept: 'text/csv' } })],
])(
  'the headers of a %i give a media type without parameters, say what the answer varies by, and forbid browsers to guess',
  async (status, ask) => {
    const answer = await ask()
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject({
      'content-type': mediaType,
      vary: 'Accept, Authorization',
      'x-content-type-options': 'nosniff',
    })
  },
)
