import { describe, expect, inject, it } from 'vitest'
import { load } from '../../../../lab/reliability/soak/load.ts'
import { newRound, stops } from '../../../../scripts/tour/stops.ts'
import { clientToken, database, get, request, uniquePerson } from '../../../support/service.ts'

const url = `${inject('serviceUrl')}/jsonapi`
/** Three seconds. */
const minutes = 0.05

describe('npm run soak -- --url', () => {
  it('reads from a deployment as a machine, and finds no fault with one that is well', async () => {
    const token = await clientToken()
    const target = { url, tokens: [token], writes: false, minutes, callers: 2, rate: 10 }
    const report = await load(target)
    expect(report).toMatchObject({ faults: {}, refused: 0 })
    expect(report.requests).toBeGreaterThanOrEqual(1)
    expect(report.requests).toBeLessThanOrEqual(31)
  })

  it('writes where that is asked for, and deletes what it has made, also in the middle of a round', async () => {
    const { token, sub } = await uniquePerson(
      'users.read users.sensitive.read users.citizenships.read users.write',
    )
    const target = { url, tokens: [token], writes: true, minutes, callers: 2, rate: 16 }
    const report = await load(target)
    expect(report.faults).toEqual({})
    expect(report.requests).toBeGreaterThan(1)
    const left = await database().query('SELECT id FROM users WHERE owner = ?1', sub)
    expect(left).toEqual([])
  })

  it('relates its users to somebody who stays, and not to one whom another caller makes and deletes', async () => {
    const { token } = await uniquePerson('users.read users.write')
    const [create, list] = ['users.create', 'users.list'].map((name) =>
      stops.find((stop) => stop.name === name),
    )
    const body = create?.body?.(newRound())
    const made = await request('POST', '/jsonapi/users', { token, body })
    const found = await get(list?.path(newRound()) ?? '', token)
    const ids = found.document.data.map(({ id }: { id: string }) => id)
    expect([made.status, ids.length]).toEqual([201, 2])
    expect(ids).not.toContain(made.document.data.id)
  })

  it('counts each thing that goes wrong', async () => {
    const target = { url, tokens: ['not.a.token'], writes: false, minutes, callers: 1, rate: 2 }
    const { faults, requests } = await load(target)
    expect(faults).toEqual({ 'countries.list answers 401, not 200': requests })
  })
})
