import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { patientFetch } from '../../../clients/typescript/src/patient-fetch.ts'

/** What each attempt gets: a status, a status with `Retry-After`, or nothing. */
type Reply = number | readonly [status: number, seconds: string] | 'lost'

let replies: Reply[]
let asked: Request[]
beforeEach(() => {
  asked = []
  vi.useFakeTimers()
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push(request)
    const reply = replies.shift() ?? 200
    if (reply === 'lost') {
      throw new TypeError('fetch failed')
    }
    const [status, seconds] = typeof reply === 'number' ? [reply] : reply
    return new Response(null, { status, headers: seconds ? { 'Retry-After': seconds } : {} })
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** The status that a request ends with, or the name of the error. */
async function ending(init: RequestInit, ...list: Reply[]): Promise<number | string> {
  replies = list
  const sent = patientFetch('https://api.example.com/users', init).then(
    ({ status }) => status,
    ({ name }: Error) => name,
  )
  await vi.runAllTimersAsync()
  return sent
}

const key = { 'Idempotency-Key': 'a-key' }
const post = { method: 'POST', body: '{}' }

describe('The fetch that repeats requests', () => {
  it('repeats any request after a 429, with the same body', async () => {
    expect(await ending(post, 429, 201)).toBe(201)
    expect(await Promise.all(asked.map((request) => request.text()))).toEqual(['{}', '{}'])
  })

  it('waits as long as Retry-After says', async () => {
    replies = [[429, '3'], 200]
    const sent = patientFetch('https://api.example.com/users')
    await vi.advanceTimersByTimeAsync(2_999)
    expect(asked).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(501)
    expect((await sent).status).toBe(200)
  })

  it.each([500, 'lost'] as const)('doubles the wait each time after %s', async (reply) => {
    replies = [reply, reply, reply, reply, 200]
    const sent = patientFetch('https://api.example.com/users')
    // Each wait ends up to half a second later than it must.
    for (const [attempts, seconds] of [1, 2, 4, 8].entries()) {
      await vi.advanceTimersByTimeAsync(1_000 * seconds - 1)
      expect(asked).toHaveLength(attempts + 1)
      await vi.advanceTimersToNextTimerAsync()
      expect(asked).toHaveLength(attempts + 2)
    }
    expect((await sent).status).toBe(200)
  })

  it.each([500, 'lost'] as const)(
    'repeats a read and a create with a key after %s, and no other write',
    async (reply) => {
      expect(await ending({}, reply, 200)).toBe(200)
      expect(await ending({ method: 'HEAD' }, reply, 200)).toBe(200)
      expect(await ending({ ...post, headers: key }, reply, 201)).toBe(201)
      const unknown = reply === 500 ? 500 : 'TypeError'
      expect(await ending(post, reply, 201)).toBe(unknown)
      expect(await ending({ method: 'PATCH', body: '{}' }, reply, 204)).toBe(unknown)
    },
  )

  it('repeats nothing that was answered otherwise', async () => {
    for (const status of [200, 400, 401, 404, 412]) {
      expect(await ending({}, status)).toBe(status)
    }
    expect(asked).toHaveLength(5)
  })

  it('gives up after five attempts with what the last one brought', async () => {
    expect(await ending({}, 500, 500, 500, 'lost', 429, 200)).toBe(429)
    expect(await ending({}, 500, 500, 500, 429, 'lost', 200)).toBe('TypeError')
    expect(asked).toHaveLength(10)
  })

  it('does not go on once the caller has given up', async () => {
    const signal = AbortSignal.abort()
    expect(await ending({ signal }, 'lost', 200)).toBe('TypeError')
    expect(asked).toHaveLength(1)
  })
})
