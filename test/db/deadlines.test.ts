import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { d1Store } from '../../src/db/store.ts'
import { ApiError } from '../../src/jsonapi/errors.ts'
import type { Change } from '../../src/jsonapi/store.ts'
import { create, populated, update } from './changes.ts'
import { readAs, wholePage } from './reading.ts'
import { openDomain } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'
import type { Around } from './sqlite-d1.ts'

const deadline = 5_000
const unhandled = vi.fn()

beforeEach(() => {
  vi.useFakeTimers()
  unhandled.mockReset()
  process.on('unhandledRejection', unhandled)
})
afterEach(async () => {
  vi.useRealTimers()
  // Node tells of what nobody has handled after the microtasks.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})

const never = new Promise<never>(() => {})
const lost = 'D1_ERROR: Network connection lost.'

/** What happens in each round trip, in their order; nothing goes wrong in those after the last. */
type Trip = 'hangs before it' | 'hangs after it' | 'lost before it' | 'lost after it' | 'good'

function trips(...plan: readonly Trip[]): Around {
  let count = 0
  return async (_, run) => {
    const trip = plan[count++] ?? 'good'
    if (trip === 'good' || trip.endsWith('after it')) {
      run()
    }
    if (trip.startsWith('hangs')) {
      await never
    }
    if (trip.startsWith('lost')) {
      throw new Error(lost)
    }
  }
}

/** How a promise has ended so far. */
function watch(promise: Promise<unknown>) {
  const seen: { ended?: unknown } = {}
  promise.then(
    (value) => Object.assign(seen, { ended: value }),
    (error) => Object.assign(seen, { ended: error }),
  )
  return seen
}

/** Waits until a promise has failed, and gives what the caller and the log are told, and after how long. */
async function failure(promise: Promise<unknown>) {
  const start = Date.now()
  const seen = watch(promise)
  while (!('ended' in seen) && Date.now() - start < 60_000) {
    await vi.advanceTimersByTimeAsync(50)
  }
  const { ended } = seen
  if (!(ended instanceof ApiError)) {
    throw new Error(`No refusal: ${ended}`)
  }
  return {
    status: ended.status,
    headers: ended.headers,
    detail: ended.problems[0]?.detail,
    cause: String(ended.cause),
    ms: Date.now() - start,
  }
}

const rename = update('a', { title: 'T' })
const titleOfA = "SELECT title FROM articles WHERE article_no = 'a'"

describe('a call of D1 that hangs (contract, section 14)', () => {
  it('ends a read at the deadline with 500 and Retry-After; the read is not repeated', async () => {
    const { store, roundTrips } = populated(trips('hangs before it'))
    const told = await failure(readAs(store, 'articles.list', wholePage))
    expect(told).toEqual({
      status: 500,
      headers: { 'Retry-After': '1' },
      detail: 'The request cannot be served at the moment.',
      cause:
        'DatabaseDeadline: D1 has not answered within 5000 ms; whether its statements were carried out is not known',
      ms: deadline,
    })
    expect(roundTrips).toHaveLength(1)
  })

  it.each<[Trip, title: string]>([
    ['hangs before it', 'Title a'],
    ['hangs after it', 'T'],
  ])('ends a write whose commit %s; the write is not repeated', async (trip, title) => {
    const { write, rows, roundTrips } = populated(trips(trip))
    const told = await failure(write(rename))
    expect(told).toMatchObject({ status: 500, headers: { 'Retry-After': '1' }, ms: deadline })
    expect(told.detail).toContain('Whether the change was made is not known.')
    expect(told.cause).toContain('D1 has not answered within 5000 ms')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(roundTrips).toHaveLength(1)
    expect(rows(titleOfA)).toEqual([title])
  })

  it.each<[string, Change, Trip[]]>([
    ['its second attempt', rename, ['lost before it', 'hangs before it']],
    ['its second attempt, after the first was done', rename, ['lost after it', 'hangs after it']],
    ['its third attempt', rename, ['lost after it', 'lost after it', 'hangs before it']],
    ['the reading of why it was refused', update('b', { title: 'T' }), ['good', 'hangs after it']],
    [
      'the reading of which target is missing',
      update('a', {}, { author: [{ id: 'nobody' }] }),
      ['good', 'hangs after it'],
    ],
    [
      'the reading back of what an earlier attempt made',
      create('c'),
      ['lost after it', 'good', 'hangs after it'],
    ],
  ])('ends a write in %s', async (_, change, plan) => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const { write, roundTrips } = populated(trips(...plan))
    const told = await failure(write(change))
    expect(told).toMatchObject({ status: 500, headers: { 'Retry-After': '1' } })
    expect(told.cause).toContain('D1 has not answered within 5000 ms')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(roundTrips).toHaveLength(plan.length)
    vi.restoreAllMocks()
  })

  it('counts for each call by itself: two slow calls of one session are answered', async () => {
    const { store } = populated(slow(4_900))
    const session = await store.begin({ bookmark: undefined, writes: false, caller: 'ann' })
    for (let call = 0; call < 2; call++) {
      const seen = watch(readAs(session, 'articles.list', wholePage))
      await vi.advanceTimersByTimeAsync(4_900)
      expect(seen.ended).toHaveProperty('found')
    }
  })
})

describe('all calls of a request together', () => {
  it('take twice the deadline at most; no call is sent after that', async () => {
    const { store, roundTrips } = populated(slow(4_000))
    const session = await store.begin({ bookmark: undefined, writes: false, caller: 'ann' })
    const all = (async () => {
      for (;;) {
        await readAs(session, 'articles.list', wholePage)
      }
    })()
    const told = await failure(all)
    expect(told).toMatchObject({ status: 500, ms: 2 * deadline })
    expect(told.cause).toContain('D1 has not answered within 2000 ms')
    const last = await failure(readAs(session, 'articles.list', wholePage))
    expect(last.cause).toContain('the 10000 ms of a request; its next call was not sent')
    expect(roundTrips).toHaveLength(3)
  })

  it('take no longer for a write that is tried twice, refused, and asks for the reason', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const { write, roundTrips } = populated(async (_, run) => {
      const isFirst = roundTrips.length === 1
      await new Promise((resolve) => setTimeout(resolve, isFirst ? 1_900 : 4_900))
      if (isFirst) {
        throw new Error(lost)
      }
      run()
    })
    const told = await failure(write(update('a', {}, { author: [{ id: 'nobody' }] })))
    expect(told).toMatchObject({ status: 500, ms: 2 * deadline })
    expect(told.cause).toContain('D1 has not answered within')
    expect(roundTrips).toHaveLength(3)
    vi.restoreAllMocks()
  })

  it('are counted for each request by itself', async () => {
    const { store } = populated(slow(4_000))
    for (let request = 0; request < 4; request++) {
      const seen = watch(readAs(store, 'articles.list', wholePage))
      await vi.advanceTimersByTimeAsync(4_000)
      expect(seen.ended).toHaveProperty('found')
    }
  })
})

describe('an answer that comes after the deadline', () => {
  it.each(['a result', 'an error'])('harms nobody where it is %s', async (kind) => {
    const { store, write, rows } = populated(async (_, run) => {
      await new Promise((resolve) => setTimeout(resolve, 2 * deadline))
      run()
      if (kind === 'an error') {
        throw new Error(lost)
      }
    })
    const session = await store.begin({ bookmark: undefined, writes: false, caller: 'ann' })
    await Promise.all([
      failure(readAs(session, 'articles.list', wholePage)),
      failure(readAs(store, 'tags.list', wholePage)),
      failure(write(rename)),
    ])
    const usage = { ...session.usage }
    await vi.advanceTimersByTimeAsync(2 * deadline)
    expect(session.usage).toEqual(usage)
    expect(rows(titleOfA)).toEqual(['T'])
  })
})

describe('many requests while D1 hangs', () => {
  it('leave no timer behind when the deadline has passed', async () => {
    const { store, write, roundTrips } = populated(() => never)
    const all = Array.from({ length: 1_000 }, (_, index) =>
      index % 2 ? write(rename) : readAs(store, 'articles.list', wholePage),
    ).map(watch)
    await vi.advanceTimersByTimeAsync(deadline - 1)
    expect(vi.getTimerCount()).toBe(1_000)
    await vi.advanceTimersByTimeAsync(1)
    expect(all.filter(({ ended }) => ended instanceof ApiError)).toHaveLength(1_000)
    expect(vi.getTimerCount()).toBe(0)
    expect(roundTrips).toHaveLength(1_000)
  })

  it('that wait for reference data share one load, fail with it, and the next one begins another', async () => {
    const { store, roundTrips } = populated(trips('hangs before it', 'hangs before it'))
    for (const load of [1, 2]) {
      const all = Array.from({ length: 1_000 }, () => watch(readAs(store, 'tags.list', wholePage)))
      await vi.advanceTimersByTimeAsync(deadline)
      expect(all.filter(({ ended }) => ended instanceof ApiError)).toHaveLength(1_000)
      expect(roundTrips).toHaveLength(load)
      expect(vi.getTimerCount()).toBe(0)
    }
    const { found } = await readAs(store, 'tags.list', wholePage)
    expect(found.records).toHaveLength(3)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('go on with reference data from memory, also when those are due for reloading', async () => {
    let hangs = false
    const { store, roundTrips } = populated((_, run) => (hangs ? never : run()))
    await readAs(store, 'tags.list', wholePage)
    hangs = true
    for (const later of [0, 5 * 60_000, 60_000, 24 * 3_600_000]) {
      vi.setSystemTime(Date.now() + later)
      const before = Date.now()
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => readAs(store, 'tags.list', wholePage)),
      )
      expect(new Set(answers.map(({ found }) => found.records.length))).toEqual(new Set([3]))
      expect(Date.now()).toBe(before)
      await vi.advanceTimersByTimeAsync(deadline)
      expect(vi.getTimerCount()).toBe(0)
    }
    // The first load, and one attempt for each time that the data were due.
    expect(roundTrips).toHaveLength(4)
  })

  it('are bounded in sessions too, where D1 never says why (platform notes, 8.2)', async () => {
    const { db, cipher } = openDomain(() => never)
    const session = { ...db, getBookmark: () => null } as unknown as D1DatabaseSession
    const store = d1Store({
      registry,
      db: { ...db, withSession: () => session },
      cipher,
      waitUntil: () => {},
      replicas: {
        name: '',
        signer: { sign: async () => '', verify: async () => false },
      },
      metered: true,
      deadlineMs: 300,
    })
    for (const endpoint of ['articles.list', 'tags.list']) {
      const begun = await store.begin({ bookmark: undefined, writes: false, caller: 'ann' })
      expect(await failure(readAs(begun, endpoint, wholePage))).toMatchObject({ ms: 300 })
    }
    expect(vi.getTimerCount()).toBe(0)
  })
})

/** Every round trip takes some milliseconds. */
function slow(milliseconds: number): Around {
  return async (_, run) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    run()
  }
}
