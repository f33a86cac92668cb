import { beforeAll, describe, expect, it } from 'vitest'
import { lineAbout } from '../../support/log.ts'
import {
  type BackDoor,
  blockedSubject,
  get,
  person,
  request,
  slowService,
} from '../../support/service.ts'

let blocking: BackDoor
beforeAll(async () => {
  blocking = await slowService()
}, 60_000)

/** Asks the Worker that refuses one person. */
const ask = async (token: string | undefined, method = 'GET', path = '/countries', body?: string) =>
  request(method, `/jsonapi${path}`, { token, body, origin: blocking.origin })

describe('A caller whose name in the log is in BLOCKED_CALLERS', () => {
  it('has the name that the log has for it where it is not blocked', async () => {
    const line = await lineAbout(await get('/countries', await person(blockedSubject)))
    const refusal = await ask(await person(blockedSubject))
    expect(refusal.status).toBe(403)
    const told = await lineAbout(refusal, blocking.logs)
    expect(told).toMatchObject({ status: 403, caller: line.caller, operation: 'countries.list' })
    expect(told).not.toHaveProperty('limit')
    expect(told).not.toHaveProperty('roundTrips')
  })
})
