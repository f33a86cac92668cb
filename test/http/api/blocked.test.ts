import { expect, it } from 'vitest'
import { lineAbout } from '../../support/log.ts'
import { blockedSubject, get, person, slowService } from '../../support/service.ts'

it('A caller whose name in the log is in BLOCKED_CALLERS has the name that the log has for it where it is not blocked', async () => {
  const { origin, logs } = await slowService()
  const token = await person(blockedSubject)
  const line = await lineAbout(await get('/countries', token))
  const refusal = await get('/countries', token, { origin })
  expect(refusal.status).toBe(403)
  const told = await lineAbout(refusal, logs)
  expect(told).toMatchObject({ status: 403, caller: line.caller, operation: 'countries.list' })
  expect(told).not.toHaveProperty('limit')
  expect(told).not.toHaveProperty('roundTrips')
})
