import { Hono } from 'hono'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { type HealthChecks, health } from '../../../src/http/health.ts'

const serviceWith = (checks: HealthChecks) => new Hono().get('/health', health(checks))

beforeEach(() => {
  const silent = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => silent.mockRestore())
})

it('a report does not wait longer than two seconds for a dependency that hangs', async () => {
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const service = serviceWith({ fine: async () => {}, hangs: () => new Promise(() => {}) })
  const asked = service.request('/health')
  await vi.advanceTimersByTimeAsync(2_000)
  const response = await asked
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ checks: { fine: 'ok', hangs: 'failing' } })
})

it('a report is asked for once by all requests of one time, and anew by the next one', async () => {
  const checks: (() => void)[] = []
  const service = serviceWith({ check: () => new Promise<void>((done) => checks.push(done)) })
  for (const round of [1, 2]) {
    const requests = Array.from({ length: 20 }, () => service.request('/health'))
    checks.at(-1)?.()
    const statuses = (await Promise.all(requests)).map(({ status }) => status)
    expect([checks.length, ...new Set(statuses)]).toEqual([round, 200])
  }
})
