import { expect, it } from 'vitest'
import { request } from '../../../support/service.ts'

it('GET /health answers 200 and names every dependency, without a token, a cost or a cache', async () => {
  const answer = await request('GET', '/health', { headers: { accept: 'text/plain' } })
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.text)).toEqual({
    status: 'ok',
    checks: { database: 'ok', limiter: 'ok', keys: 'ok' },
  })
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  expect(answer.headers).not.toHaveProperty('x-ratelimit-remaining')
})
