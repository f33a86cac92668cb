import { describe, expect, it } from 'vitest'
import { clientToken, get, openService, request } from '../../../support/service.ts'

describe('Server-Timing (contract, section 19)', () => {
  it('tells the milliseconds of every answer when SERVER_TIMING is on', async () => {
    const answers = [
      await get('/users', await clientToken()),
      await get('/users'),
      await request('GET', '/health'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 200])
    for (const { headers } of answers) {
      expect(headers['server-timing']).toMatch(/^total;dur=\d+$/)
    }
  })

  it('is absent when SERVER_TIMING is off', async () => {
    const { origin } = await openService()
    const { headers } = await get('/users', await clientToken(), { origin })
    expect(headers).not.toHaveProperty('server-timing')
  })
})
