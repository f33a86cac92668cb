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
})
