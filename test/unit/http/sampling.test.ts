import { Hono } from 'hono'
import { requestId } from 'hono/request-id'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { trace } from '../../../src/http/log.ts'

type Line = Readonly<Record<string, unknown>>

let lines: Line[]
beforeEach(() => {
  lines = []
  vi.useFakeTimers({ toFake: ['Date'] })
  const log = vi.spyOn(console, 'log')
  log.mockImplementation((line: string) => lines.push(JSON.parse(line)))
  onTestFinished(() => {
    vi.useRealTimers()
    log.mockRestore()
  })
})

/** A service whose requests end with the status in their path, after the milliseconds in it. */
function serviceWith(logShare: number) {
  const app = new Hono()
  app.use(requestId(), trace({ logShare }))
  app.get('/:status/:ms', (c) => {
    vi.setSystemTime(Date.now() + Number(c.req.param('ms')))
    return new Response(null, { status: Number(c.req.param('status')) })
  })
  return async (path: string) => (await app.request(path)).headers.get('X-Request-Id') ?? ''
}

describe('The sample of requests in the log', () => {
  it('leaves out ordinary requests, but no failure and no slow request', async () => {
    const ask = serviceWith(0)
    for (const path of ['/200/999', '/404/0', '/429/0']) {
      await ask(path)
    }
    const paths = ['/500/0', '/503/0', '/200/1000', '/403/5000']
    const ids: string[] = []
    for (const path of paths) {
      ids.push(await ask(path))
    }
    expect(lines.map(({ requestId }) => requestId)).toEqual(ids)
    expect(lines.every((line) => !('share' in line))).toBe(true)
  })

  it('has the requests whose id decides so, each with the share that it stands for', async () => {
    const ask = serviceWith(0.25)
    const ids = await Promise.all(Array.from({ length: 400 }, () => ask('/200/0')))
    expect(lines.map(({ requestId }) => requestId).sort()).toEqual(
      ids.filter((id) => Number.parseInt(id.slice(0, 8), 16) < 2 ** 30).sort(),
    )
    expect(lines.every((line) => line.share === 0.25)).toBe(true)
  })
})
