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

  it('is asked for once by all requests of one time, and anew by the next one', async () => {
    let asked = 0
    let answer = (): void => {}
    const check = (): Promise<void> => {
      asked++
      return new Promise((resolve) => {
        answer = resolve
      })
    }
    const app = new Hono().get('/health', health({ check }))
    for (const round of [1, 2]) {
      const requests = Array.from({ length: 200 }, () => app.request('/health'))
      answer()
      const statuses = (await Promise.all(requests)).map(({ status }) => status)
      expect([asked, ...new Set(statuses)]).toEqual([round, 200])
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
