import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPatientFetch } from '../../../clients/typescript/src/patient-fetch.ts'
import { fullBucket, rateLimitHeaders, take, verdictOf } from '../../../src/rate-limit/bucket.ts'

/** What each attempt gets: a status, a status with `Retry-After`, a lost connection, or nothing for ever. */
type Reply = number | readonly [status: number, retryAfter: string] | 'lost' | 'nothing'

let replies: Reply[]
let asked: Request[]
let patientFetch: typeof fetch
beforeEach(() => {
  asked = []
  patientFetch = createPatientFetch()
  vi.useFakeTimers()
  vi.stubGlobal('fetch', async (request: Request) => {
    asked.push(request)
    const reply = replies.shift() ?? 200
    if (reply === 'lost') {
      throw new TypeError('fetch failed')
    }
    if (reply === 'nothing') {
      return new Promise(() => {})
    }
    const [status, seconds] = typeof reply === 'number' ? [reply] : reply
    return new Response(null, { status, headers: seconds ? { 'Retry-After': seconds } : {} })
  })
})
afterEach(() => {
  vi.restoreAllMocks()
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

  it.each([
    ['3', 3],
    ['60', 60],
    ['Fri, 20 Nov 2026 12:00:03 GMT', 3],
    ['Friday, 20-Nov-26 12:00:03 GMT', 3],
    // Neither a number nor a date to come: the first back-off.
    ['Fri, 20 Nov 2026 11:59:00 GMT', 1],
    ['soon', 1],
    ['1.5', 1],
    ['-5', 1],
  ])(
    'with Retry-After %s waits %i s, and up to a quarter of a second more',
    async (retryAfter, seconds) => {
      vi.setSystemTime(Date.UTC(2026, 10, 20, 12))
      vi.spyOn(Math, 'random').mockReturnValue(0.5)
      replies = [[429, retryAfter], 200]
      const sent = patientFetch('https://api.example.com/users')
      await vi.advanceTimersByTimeAsync(1_000 * seconds + 124)
      expect(asked).toHaveLength(1)
      await vi.advanceTimersByTimeAsync(1)
      expect((await sent).status).toBe(200)
    },
  )

  it.each(['61', '99999999999999999999', 'Wed, 20 Nov 2126 12:00:00 GMT'])(
    'returns an answer that asks for more than a minute: %s',
    async (retryAfter) => {
      expect(await ending({}, [429, retryAfter], 200)).toBe(429)
      expect(asked).toHaveLength(1)
    },
  )

  it.each([500, 'lost'] as const)('doubles the wait each time after %s', async (reply) => {
    replies = [reply, reply, reply, reply, 200]
    const sent = patientFetch('https://api.example.com/users')
    // Each wait ends up to a quarter of a second later than it must.
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

  it('gives up after five failures with what the last one brought, and after a minute of refusals', async () => {
    expect(await ending({}, 500, 500, 429, 500, 'lost', 500, 200)).toBe(500)
    expect(await ending({}, 500, 429, 500, 500, 500, 'lost', 200)).toBe('TypeError')
    expect(asked).toHaveLength(12)
    const refused = Array.from({ length: 99 }, (): Reply => [429, '7'])
    expect(await ending({}, ...refused)).toBe(429)
    expect(asked).toHaveLength(12 + 9)
  })
})

describe('At the rate limit', () => {
  const limits = { capacity: 100, rate: 50 }

  /** A service that is milliseconds away and has one bucket; callers see it only by its answers. */
  function serviceAt(distance: number) {
    const told = { refused: 0, paid: 0, endsAt: 0 }
    let bucket = fullBucket(limits, Date.now())
    const send = async (request: Request) => {
      const way = () =>
        new Promise((resolve) => setTimeout(resolve, distance * (1 + Math.random())))
      await way()
      const cost = Number(new URL(request.url).searchParams.get('cost'))
      const taken = take(bucket, limits, cost, Date.now())
      bucket = taken
      const verdict = verdictOf(taken, limits, cost)
      told[verdict.allowed ? 'paid' : 'refused'] += verdict.allowed ? cost : 1
      await way()
      told.endsAt = Date.now()
      const headers = rateLimitHeaders(verdict)
      return new Response(null, { status: verdict.allowed ? 200 : 429, headers })
    }
    return { send: send as typeof fetch, told }
  }

  it.each([
    ['1 process', 1, 250, 1, 2],
    ['1 process far away', 1, 250, 1, 50],
    ['4 processes', 4, 63, 1, 2],
    ['4 processes far away', 4, 63, 1, 50],
    ['4 processes with dear requests', 4, 30, 7, 10],
  ])(
    'gets the answers of %s in 1.5 times what the bucket allows, with few more refusals than requests',
    async (_, processes, each, cost, distance) => {
      let calls = 0
      vi.spyOn(Math, 'random').mockImplementation(() => (0.618 * ++calls) % 1)
      vi.setSystemTime(0)
      const { send, told } = serviceAt(distance)
      const sent = Array.from({ length: processes }, () => {
        const own = createPatientFetch({ fetch: send })
        const address = `https://api.example.com/users?cost=${cost}`
        return Promise.all(Array.from({ length: each }, () => own(address)))
      })
      await vi.runAllTimersAsync()
      const statuses = (await Promise.all(sent)).flat().map(({ status }) => status)
      expect(new Set(statuses)).toEqual(new Set([200]))
      expect(told.paid).toBe(processes * each * cost)
      const allowed = (told.paid - limits.capacity) / limits.rate
      expect(told.endsAt / 1000 / allowed).toBeLessThan(1.5)
      expect(told.refused).toBeLessThan(1.2 * processes * each)
    },
  )

  it('never refuses those who ask one after the other, and keeps nobody waiting while the bucket can pay', async () => {
    vi.setSystemTime(0)
    const { send, told } = serviceAt(1)
    const own = createPatientFetch({ fetch: send })
    const ask = () => own('https://api.example.com/users?cost=1')
    const all = Array.from({ length: 250 }).reduce<Promise<unknown>>(
      (last) => last.then(ask),
      ask(),
    )
    await vi.runAllTimersAsync()
    await all
    expect(told).toMatchObject({ refused: 0, paid: 251 })
    expect(told.endsAt / 1000 / 3).toBeLessThan(1.1)
    // After a rest the bucket is full.
    await vi.advanceTimersByTimeAsync(10_000)
    const sent = Array.from({ length: 90 }, ask)
    await vi.advanceTimersByTimeAsync(5)
    expect((await Promise.all(sent)).every(({ ok }) => ok)).toBe(true)
  })
})

describe('A request whose signal aborts', () => {
  /** Sends a request, and aborts it when it waits for what was replied. */
  async function aborted(path: string, ...list: Reply[]): Promise<unknown> {
    replies = list
    const aborting = new AbortController()
    const sent = patientFetch(`https://api.example.com${path}`, { signal: aborting.signal })
    const end = sent.catch((reason) => reason)
    await vi.advanceTimersByTimeAsync(0)
    aborting.abort('enough')
    // Time stands still.
    return Promise.race([end, new Promise((resolve) => setImmediate(resolve, 'waits'))])
  }

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  })

  it.each(['nothing', 'lost', 500, [429, '30']] as const)(
    'ends at once with its reason while it waits after %s, and leaves no timer',
    async (reply) => {
      expect(await aborted('/users', reply)).toBe('enough')
      expect([asked.length, vi.getTimerCount()]).toEqual([1, 0])
    },
  )

  it('sends nothing if it has aborted before', async () => {
    const sent = patientFetch('https://api.example.com/users', { signal: AbortSignal.abort('no') })
    await expect(sent).rejects.toBe('no')
    expect(asked).toEqual([])
  })

  it('ends at once behind the line and within it, and lets those behind it go on in their turn', async () => {
    replies = [
      [429, '3'],
      [429, '3'],
    ]
    const first = patientFetch('https://api.example.com/first')
    const aborting = new AbortController()
    const { signal } = aborting
    const second = patientFetch('https://api.example.com/second', { signal })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(asked).toHaveLength(2)
    const third = patientFetch('https://api.example.com/third')
    expect(await aborted('/fourth')).toBe('enough')
    aborting.abort('enough')
    await expect(second).rejects.toBe('enough')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(asked).toHaveLength(2)
    await vi.runAllTimersAsync()
    expect([(await first).status, (await third).status]).toEqual([200, 200])
    const paths = asked.map(({ url }) => new URL(url).pathname)
    expect(paths).toEqual(['/first', '/second', '/first', '/third'])
  })
})
