import { describe, expect, it } from 'vitest'
import { linesWith } from '../../../support/log.ts'
import { brokenService, misconfiguredService, request } from '../../../support/service.ts'

describe('GET /health', () => {
  it('answers 200 and names every dependency, without a token, a cost or a cache', async () => {
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

  it('answers 503 and names the keys when the authorization server does not publish them', async () => {
    const { origin, logs } = await brokenService()
    const answer = await request('GET', '/health', { origin })
    expect(answer.status).toBe(503)
    expect(JSON.parse(answer.text)).toEqual({
      status: 'failing',
      checks: { database: 'ok', limiter: 'ok', keys: 'failing' },
    })
    await linesWith('"event":"unhealthy","dependency":"keys"', logs)
  })

  it('answers 503 and names the configuration when a variable is wrong; only the log says which', async () => {
    const { origin, logs } = await misconfiguredService()
    const answer = await request('GET', '/health', { origin })
    expect(answer.status).toBe(503)
    expect(JSON.parse(answer.text).checks).toEqual({ configuration: 'failing' })
    await linesWith('ROOT_PATH', logs)
  })
})
