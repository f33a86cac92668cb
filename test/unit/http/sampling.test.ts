import { Hono } from 'hono'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isSampled, isTelling, type Sampling, trace } from '../../../src/http/trace.ts'

type Line = Readonly<Record<string, unknown>>

let lines: Line[] = []

beforeEach(() => {
  lines = []
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.spyOn(console, 'log').mockImplementation((line: string) => lines.push(JSON.parse(line)))
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** A service whose requests end with the status in their path, after the milliseconds in it. */
function serviceWith(sampling?: Sampling) {
  const app = new Hono()
  app.use(trace(sampling ? { sampling } : {}))
  app.get('/remembered/:ms', (c) => {
    vi.setSystemTime(Date.now() + Number(c.req.param('ms')))
    const figures = { capacity: 1, rate: 1, remaining: 0, cost: 1, waitMs: 1_000 }
    c.set('verdict', { ...figures, allowed: false, isRemembered: true })
    return new Response(null, { status: 429 })
  })
  app.get('/:status/:ms', (c) => {
    vi.setSystemTime(Date.now() + Number(c.req.param('ms')))
    return new Response(null, { status: Number(c.req.param('status')) })
  })
  return async (path: string) => (await app.request(path)).headers.get('X-Request-Id') ?? ''
}

describe('The sample of requests in the log (contract, section 19)', () => {
  it('is all of them, with no share in their lines, where none is configured', async () => {
    const ask = serviceWith()
    await ask('/200/0')
    await ask('/429/0')
    expect(lines.map(({ status, share }) => [status, share])).toEqual([
      [200, undefined],
      [429, undefined],
    ])
  })

  it('leaves out ordinary requests and faults of callers, but no failure of the service and no slow request', async () => {
    const ask = serviceWith({ share: 0, slowMs: 1_000 })
    const ids = new Map<string, string>()
    for (const path of [
      '/200/0',
      '/200/999',
      '/404/0',
      '/429/0',
      '/500/0',
      '/503/0',
      '/200/1000',
      '/403/5000',
    ]) {
      ids.set(path, await ask(path))
    }
    expect(lines.map(({ requestId }) => requestId)).toEqual(
      ['/500/0', '/503/0', '/200/1000', '/403/5000'].map((path) => ids.get(path)),
    )
    expect(lines.every((line) => !('share' in line))).toBe(true)
  })

  it('holds the requests whose id decides so, each with the share that it stands for', async () => {
    const share = 0.25
    const ask = serviceWith({ share, slowMs: 1_000 })
    const ids = await Promise.all(Array.from({ length: 400 }, () => ask('/200/0')))
    expect(lines.map(({ requestId }) => requestId).sort()).toEqual(
      ids.filter((id) => isSampled(id, share)).sort(),
    )
    expect(lines.every((line) => line.share === share)).toBe(true)
  })

  it('is chosen by the first 32 bits of an id, which are random', () => {
    expect(isSampled('00000000-0000-4000-8000-000000000000', 0)).toBe(false)
    expect(isSampled('ffffffff-ffff-4fff-bfff-ffffffffffff', 1)).toBe(true)
    expect(isSampled('3fffffff-0000-4000-8000-000000000000', 0.25)).toBe(true)
    expect(isSampled('40000000-0000-4000-8000-000000000000', 0.25)).toBe(false)
  })

  it('holds every request for which D1 was asked more than once', () => {
    const sampling = { share: 0, slowMs: 1_000 }
    expect(isTelling({ status: 200, ms: 0, attempts: 2 }, sampling)).toBe(true)
    expect(isTelling({ status: 200, ms: 0, attempts: 1 }, sampling)).toBe(false)
  })
})

describe('A refusal from memory (contract, section 19)', () => {
  const counts = () => lines.map(({ status, untold }) => [status, untold])

  it('has no line of its own, and is counted once by the next line', async () => {
    const ask = serviceWith()
    for (const path of ['/remembered/0', '/remembered/0', '/404/0', '/200/0', '/remembered/0']) {
      await ask(path)
    }
    expect(counts()).toEqual([
      [404, 2],
      [200, undefined],
    ])
  })

  it('is counted by the next line that is in the sample, not by a request without a line', async () => {
    const ask = serviceWith({ share: 0, slowMs: 1_000 })
    for (const path of ['/remembered/0', '/200/0', '/remembered/0', '/404/0', '/503/0']) {
      await ask(path)
    }
    expect(counts()).toEqual([[503, 2]])
  })

  it('has a line where it was slow', async () => {
    const ask = serviceWith({ share: 1, slowMs: 1_000 })
    await ask('/remembered/0')
    await ask('/remembered/1000')
    expect(counts()).toEqual([[429, 1]])
  })
})
