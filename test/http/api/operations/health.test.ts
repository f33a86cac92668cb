import { Hono } from 'hono'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type HealthChecks, health } from '../../../../src/http/health.ts'
import { linesWith } from '../../../support/log.ts'
import { clientToken, get, request, variant } from '../../../support/service.ts'

describe('GET /health (contract, section 19)', () => {
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
    const { origin, logs } = await variant({ JWKS_URL: 'https://nowhere.example/jwks' })
    const answer = await request('GET', '/health', { origin })
    expect(answer.status).toBe(503)
    expect(JSON.parse(answer.text)).toEqual({
      status: 'failing',
      checks: { database: 'ok', limiter: 'ok', keys: 'failing' },
    })
    await linesWith('"event":"unhealthy","dependency":"keys"', logs)
  })

  it('answers 503 and names the configuration when a variable is wrong; only the log says which', async () => {
    const { origin, logs } = await variant({ ROOT_PATH: 'no slash' })
    const answer = await request('GET', '/health', { origin })
    expect(answer.status).toBe(503)
    expect(JSON.parse(answer.text).checks).toEqual({ configuration: 'failing' })
    expect((await get('/users', await clientToken(), { origin })).status).toBe(500)
    await linesWith('ROOT_PATH', logs)
  })

  it('takes HEAD, which it answers without a body, and OPTIONS', async () => {
    const head = await request('HEAD', '/health')
    expect([head.status, head.text]).toEqual([200, ''])
    const { status, headers } = await request('OPTIONS', '/health')
    expect([status, headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS'])
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('is 405 with Allow for %s', async (method) => {
    const { status, headers, document } = await request(method, '/health')
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(document.errors).toMatchObject([{ code: 'METHOD_NOT_SUPPORTED' }])
  })
})

/** The answer of a service with these dependencies. */
async function ask(checks: HealthChecks) {
  const response = await new Hono().get('/health', health(checks)).request('/health')
  return { status: response.status, body: (await response.json()) as unknown }
}

describe('A report on dependencies', () => {
  const fine = async () => 'fine'
  beforeEach(() => {
    const silent = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => silent.mockRestore())
  })

  it.each(['database', 'limiter', 'keys'])(
    'names the %s that fails, and only that',
    async (name) => {
      const checks = { database: fine, limiter: fine, keys: fine }
      const answer = await ask({ ...checks, [name]: () => Promise.reject(new Error('down')) })
      const outcomes = { database: 'ok', limiter: 'ok', keys: 'ok', [name]: 'failing' }
      expect(answer).toEqual({ status: 503, body: { status: 'failing', checks: outcomes } })
    },
  )

  it('does not wait longer than two seconds for a dependency that hangs', async () => {
    vi.useFakeTimers()
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const asked = ask({ fine, hangs: () => new Promise(() => {}) })
    await vi.advanceTimersByTimeAsync(2_000)
    const { status, body } = await asked
    expect(status).toBe(503)
    expect(body).toMatchObject({ checks: { fine: 'ok', hangs: 'failing' } })
  })

  it('is used again for a second, so that probing is no load', async () => {
    let asked = 0
    const app = new Hono().get('/health', health({ counted: async () => asked++ }))
    for (let probe = 0; probe < 5; probe++) {
      await app.request('/health')
    }
    expect(asked).toBe(1)
  })

  it('is made once for all probes that come meanwhile, however slow a dependency is', async () => {
    vi.useFakeTimers()
    onTestFinished(() => {
      vi.useRealTimers()
    })
    let asked = 0
    const check = (): Promise<unknown> => {
      asked++
      return new Promise(() => {})
    }
    const app = new Hono().get('/health', health({ check }))
    for (const round of [1, 2]) {
      const probes = Array.from({ length: 200 }, () => app.request('/health'))
      await vi.advanceTimersByTimeAsync(2_000)
      const statuses = (await Promise.all(probes)).map(({ status }) => status)
      expect([asked, ...new Set(statuses)]).toEqual([round, 503])
      await vi.advanceTimersByTimeAsync(1_000)
    }
  })

  it('is begun again, once for all, where the request that began it was cancelled, its timers with it', async () => {
    vi.useFakeTimers()
    onTestFinished(() => {
      vi.useRealTimers()
    })
    let asked = 0
    const check = (): Promise<unknown> => (asked++ === 0 ? new Promise(() => {}) : fine())
    const app = new Hono().get('/health', health({ check }))
    const timer = vi.spyOn(globalThis, 'setTimeout')
    timer.mockImplementationOnce((() => 0) as unknown as typeof setTimeout)
    void app.request('/health')
    timer.mockRestore()
    const probes = Array.from({ length: 200 }, () => app.request('/health'))
    await vi.advanceTimersByTimeAsync(2_249)
    expect(asked).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    const statuses = (await Promise.all(probes)).map(({ status }) => status)
    expect([asked, ...new Set(statuses)]).toEqual([2, 200])
  })

  it('is 503 for those who have waited in vain, because each request that began one was cancelled, its timers with it', async () => {
    vi.useFakeTimers()
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const timer = vi.spyOn(globalThis, 'setTimeout')
    const check = (): Promise<unknown> => {
      timer.mockImplementationOnce((() => 0) as unknown as typeof setTimeout)
      return new Promise(() => {})
    }
    const app = new Hono().get('/health', health({ database: check, keys: fine }))
    const probes = Array.from({ length: 3 }, () => app.request('/health'))
    await vi.advanceTimersByTimeAsync(4_500)
    for (const answer of await Promise.all(probes)) {
      expect(answer.status).toBe(503)
      const checks = { database: 'failing', keys: 'failing' }
      expect(await answer.json()).toEqual({ status: 'failing', checks })
    }
  })

  it('is made to its end although the request that began it has ended', async () => {
    const kept: Promise<unknown>[] = []
    const waitUntil = (work: Promise<unknown>) => kept.push(work)
    const app = new Hono().get('/health', health({ fine }, waitUntil))
    await app.request('/health')
    expect(kept).toHaveLength(1)
  })
})
