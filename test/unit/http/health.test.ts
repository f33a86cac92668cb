import { Hono } from 'hono'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type HealthChecks, health } from '../../../src/http/health.ts'

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
    // The clock stands still, so that all probes come within the second.
    vi.useFakeTimers()
    onTestFinished(() => {
      vi.useRealTimers()
    })
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
