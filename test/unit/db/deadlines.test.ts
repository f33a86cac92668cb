import { describe, expect, it, vi } from 'vitest'
import type { Change } from '../../../src/jsonapi/run/store.ts'
import { create, populated, update } from './changes.ts'
import { advance, failure, lost, slow, type Trip, trips, useFakeClock, watch } from './hanging.ts'
import { readAs, wholePage } from './reading.ts'

const deadline = 5_000

useFakeClock()

const rename = update('a', { title: 'T' })
const titleOfA = "SELECT title FROM articles WHERE article_no = 'a'"

describe('a call of D1 that hangs (contract, section 14)', () => {
  it('ends a read at the deadline with 500 and Retry-After; the read is not repeated', async () => {
    const { store, roundTrips } = await populated(trips('hangs before it'))
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
    const { write, rows, roundTrips } = await populated(trips(trip))
    const told = await failure(write(rename))
    expect(told).toMatchObject({ status: 500, headers: { 'Retry-After': '1' }, ms: deadline })
    expect(told.detail).toContain('Whether the change was made is not known.')
    expect(told.cause).toContain('D1 has not answered within 5000 ms')
    await advance(60_000)
    expect(roundTrips).toHaveLength(1)
    expect(await rows(titleOfA)).toEqual([title])
  })

  it.each<[string, Change, Trip[]]>([
    ['its second attempt', rename, ['lost before it', 'hangs before it']],
    ['its second attempt, after the first was done', rename, ['lost after it', 'hangs after it']],
    ['its third attempt', rename, ['lost after it', 'lost after it', 'hangs before it']],
    ['the reading of why it was refused', update('b', { title: 'T' }), ['good', 'hangs before it']],
    [
      'the reading of which target is missing',
      update('a', {}, { author: [{ id: 'nobody' }] }),
      ['good', 'hangs before it'],
    ],
    [
      'the reading back of what an earlier attempt made',
      create('c'),
      ['lost after it', 'good', 'hangs after it'],
    ],
  ])('ends a write in %s', async (_, change, plan) => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const { write, roundTrips } = await populated(trips(...plan))
    const told = await failure(write(change))
    expect(told).toMatchObject({ status: 500, headers: { 'Retry-After': '1' } })
    expect(told.cause).toContain('D1 has not answered within 5000 ms')
    await advance(60_000)
    expect(roundTrips).toHaveLength(plan.length)
  })

  it('is told like a lost answer that no later attempt makes up for', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const plan: readonly Trip[] = ['lost after it', 'lost before it', 'lost before it']
    const { write, rows, roundTrips } = await populated(trips(...plan))
    const told = await failure(write(rename))
    expect(told).toMatchObject({ status: 500, headers: { 'Retry-After': '1' } })
    expect(told.detail).toContain('Whether the change was made is not known.')
    expect(roundTrips).toHaveLength(plan.length)
    expect(await rows(titleOfA)).toEqual(['T'])
  })

  it('counts for each call by itself: two slow calls of one session are answered', async () => {
    const { store } = await populated(slow(4_900))
    const session = store.begin({
      writes: false,
    })
    for (let call = 0; call < 2; call++) {
      const seen = watch(readAs(session, 'articles.list', wholePage))
      await advance(4_900)
      expect(seen.ended).toHaveProperty('found')
    }
  })
})

describe('all calls of a request together', () => {
  it('take twice the deadline at most; no call is sent after that', async () => {
    const { store, roundTrips } = await populated(slow(4_000))
    const session = store.begin({
      writes: false,
    })
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
    const { write, roundTrips } = await populated(async (_, run) => {
      const isFirst = roundTrips.length === 1
      await new Promise((resolve) => setTimeout(resolve, isFirst ? 1_900 : 4_900))
      if (isFirst) {
        throw new Error(lost)
      }
      await run()
    })
    const told = await failure(write(update('a', {}, { author: [{ id: 'nobody' }] })))
    expect(told).toMatchObject({ status: 500, ms: 2 * deadline })
    expect(told.cause).toContain('D1 has not answered within')
    expect(roundTrips).toHaveLength(3)
  })

  it('are counted for each request by itself', async () => {
    const { store } = await populated(slow(4_000))
    for (let request = 0; request < 4; request++) {
      const seen = watch(readAs(store, 'articles.list', wholePage))
      await advance(4_000)
      expect(seen.ended).toHaveProperty('found')
    }
  })
})

describe('an answer that comes after the deadline', () => {
  it.each(['a result', 'an error'])('harms nobody where it is %s', async (kind) => {
    const { store, write, rows } = await populated(async (_, run) => {
      await new Promise((resolve) => setTimeout(resolve, 2 * deadline))
      await run()
      if (kind === 'an error') {
        throw new Error(lost)
      }
    })
    const session = store.begin({
      writes: false,
    })
    await Promise.all([
      failure(readAs(session, 'articles.list', wholePage)),
      failure(readAs(store, 'tags.list', wholePage)),
      failure(write(rename)),
    ])
    const usage = { ...session.usage }
    await advance(2 * deadline)
    expect(session.usage).toEqual(usage)
    expect(await rows(titleOfA)).toEqual(['T'])
  })
})
