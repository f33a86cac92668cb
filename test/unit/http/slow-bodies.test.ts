import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startService } from './service.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A body of which no byte ever arrives. */
const silent = () => new ReadableStream({ type: 'bytes' })

describe('a body that does not come (contract, section 14)', () => {
  it('is waited for ten seconds, then the request is a 400', async () => {
    const { send } = await startService()
    const settled = vi.fn()
    const answer = send('POST', '/articles', silent())
    answer.then(settled)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await (await answer).json()).toMatchObject({
      errors: [{ status: '400', code: 'INVALID_PAYLOAD' }],
    })
  })

  it('holds up the answer of a request that needs none for a second', async () => {
    const { send } = await startService()
    const settled = vi.fn()
    send('POST', '/nothing', silent()).then(settled)
    await vi.advanceTimersByTimeAsync(999)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(2)
    expect(settled.mock.calls[0]?.[0]).toMatchObject({ status: 404 })
  })
})
