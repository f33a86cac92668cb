import { describe, expect, it } from 'vitest'
import { clientToken, get, request, variant } from '../../../support/service.ts'

describe('Server-Timing (contract, section 19)', () => {
  it('tells the milliseconds of every answer when SERVER_TIMING is on', async () => {
    const { origin } = await variant({ SERVER_TIMING: 'true' })
    const answers = [
      await get('/users', await clientToken(), { origin }),
      await get('/users', undefined, { origin }),
      await request('GET', '/health', { origin }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 200])
    for (const { headers } of answers) {
      expect(headers['server-timing']).toMatch(/^total;dur=\d+$/)
    }
  })

  it('is absent where SERVER_TIMING is not on', async () => {
    const { headers } = await get('/users', await clientToken())
    expect(headers).not.toHaveProperty('server-timing')
  })
})
