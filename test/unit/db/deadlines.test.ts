import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../../../src/db/engine.ts'
import { populated, update } from './changes.ts'
import { trips } from './hanging.ts'
import { readAs, wholePage } from './reading.ts'
import { openDomain } from './second-domain/domain.ts'

const deadline = 5_000

/** What a caller and the log are told. */
const failure = (cause: string) => ({
  status: 500,
  problems: [{ detail: 'The request cannot be served at the moment.' }],
  cause: expect.objectContaining({ message: expect.stringContaining(cause) }),
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('A call that hangs ends a refused write while it asks for the reason', async () => {
  const { write, roundTrips } = await populated(trips('good', 'hangs'))
  const failing = expect(write(update('b', { title: 'T' }))).rejects.toMatchObject(
    failure(`has not answered within ${deadline} ms`),
  )
  await vi.advanceTimersByTimeAsync(deadline)
  await failing
  expect(roundTrips).toHaveLength(2)
})

it('All calls of a request together take twice the deadline at most; none is sent after that', async () => {
  const { store, roundTrips } = await populated(async (_, run) => {
    await new Promise((resolve) => setTimeout(resolve, 4_000))
    await run()
  })
  const session = store.begin({ writes: false })
  const read = () => readAs(session, 'articles.list', wholePage)
  const all = (async () => {
    for (;;) {
      await read()
    }
  })()
  const ended = vi.fn()
  all.catch(ended)
  await vi.advanceTimersByTimeAsync(2 * deadline - 1)
  expect(ended).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  await expect(all).rejects.toMatchObject(failure('has not answered within'))
  await expect(read()).rejects.toMatchObject(failure('used up the 10000 ms of a request'))
  expect(roundTrips).toHaveLength(3)
})

describe('A session', () => {
  /** A state as D1 names it. */
  const state = '00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683'

  async function opened(replicated: boolean) {
    const { db } = openDomain()
    const begun: (string | undefined)[] = []
    const withSession = (constraint?: string) => {
      begun.push(constraint)
      return { ...db, getBookmark: () => state }
    }
    const DB = { ...db, withSession } as unknown as D1Database
    return { begun, ...openDatabase({ DB }, { deadlineMs: deadline, replicated }) }
  }

  it('begins anywhere or at its bookmark, and for a write at the newest state', async () => {
    const { connect, begun } = await opened(true)
    expect(connect({ writes: false }).bookmark()).toBe(state)
    connect({ writes: false, bookmark: state })
    connect({ writes: true, bookmark: state })
    expect(begun).toEqual(['first-unconstrained', state, 'first-primary'])
  })

  it('is none of D1 where the database has no replicas', async () => {
    const { connect, begun } = await opened(false)
    expect(connect({ writes: true, bookmark: state }).bookmark()).toBeNull()
    expect(begun).toEqual([])
  })
})
