import { beforeAll, describe, expect, it } from 'vitest'
import { lineAbout } from '../../support/log.ts'
import {
  type BackDoor,
  blockedSubject,
  blockingService,
  clientToken,
  get,
  mediaType,
  person,
  request,
} from '../../support/service.ts'

let blocking: BackDoor
beforeAll(async () => {
  blocking = await blockingService()
}, 60_000)

/** Asks the Worker that refuses one person. */
const ask = async (token: string | undefined, method = 'GET', path = '/countries', body?: string) =>
  request(method, `/jsonapi${path}`, { token, body, origin: blocking.origin })

describe('A caller whose name in the log is in BLOCKED_CALLERS (contract, section 21)', () => {
  it('has the name that the log has for it where it is not blocked', async () => {
    const line = await lineAbout(await get('/countries', await person(blockedSubject)))
    const refusal = await ask(await person(blockedSubject))
    expect(refusal.status).toBe(403)
    const told = await lineAbout(refusal, blocking.logs)
    expect(told).toMatchObject({ status: 403, caller: line.caller, operation: 'countries.list' })
    expect(told).not.toHaveProperty('limit')
    expect(told).not.toHaveProperty('roundTrips')
  })

  it('gets one error, which tells of the token, and no figures of the limiter', async () => {
    const { status, document, headers } = await ask(await person(blockedSubject))
    expect([status, headers['content-type']]).toEqual([403, mediaType])
    expect(document.errors).toEqual([
      expect.objectContaining({
        code: 'INSUFFICIENT_ENTITLEMENTS',
        detail: 'The operator of this service has blocked the caller that this token names.',
        source: { header: 'Authorization' },
      }),
    ])
    expect(headers).not.toHaveProperty('x-ratelimit-remaining')
    expect(headers).not.toHaveProperty('www-authenticate')
  })

  it.each([0, 100, 60_000])(
    'is answered over one connection after another with a body of %i bytes, which nobody reads',
    async (length) => {
      const token = await person(blockedSubject, 'users.write')
      for (let turn = 0; turn < 5; turn++) {
        expect((await ask(token, 'POST', '/users', 'x'.repeat(length))).status).toBe(403)
      }
    },
  )

  it('is refused after a wrong path, Accept and token, and nobody else is', async () => {
    const token = await person(blockedSubject)
    expect((await ask(token, 'GET', '/planets')).status).toBe(404)
    expect((await ask(token, 'PUT')).status).toBe(405)
    expect((await ask(`${token}x`)).status).toBe(401)
    expect((await ask(await person('somebody-else'))).status).toBe(200)
    expect((await ask(await clientToken(blockedSubject))).status).toBe(200)
  })
})
