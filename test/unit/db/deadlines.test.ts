import { describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../../../src/db/engine.ts'
import { populated, update } from './changes.ts'
import { failure, slow, trips, useFakeClock, watch } from './hanging.ts'
import { readAs, wholePage } from './reading.ts'
import { openDomain } from './second-domain/domain.ts'

const deadline = 5_000
const late = `DatabaseDeadline: The database has not answered within ${deadline} ms`

useFakeClock()

describe('A call of the database that hangs', () => {
  it('ends a refused write while it asks for the reason', async () => {
    const { write, roundTrips } = await populated(trips('good', 'hangs'))
    const failed = await failure(write(update('b', { title: 'T' })))
    expect(failed).toMatchObject({ detail: 'The request cannot be served at the moment.' })
    expect(failed.cause).toBe(late)
    expect(roundTrips).toHaveLength(2)
  })
})

describe('All calls of a request together', () => {
  it('take twice the deadline at most; none is sent after that', async () => {
    const { store, roundTrips } = await populated(slow(4_000))
    const session = store.begin({ writes: false })
    const all = (async () => {
      for (;;) {
        await readAs(session, 'articles.list', wholePage)
      }
    })()
    expect(await failure(all)).toMatchObject({ status: 500, ms: 2 * deadline })
    const last = await failure(readAs(session, 'articles.list', wholePage))
    expect(last.cause).toContain('have used up the 10000 ms of a request')
    expect(roundTrips).toHaveLength(3)
  })

  it('may have pauses between them, as that before a write whose answer is lost is looked for', async () => {
    const { store } = await populated(slow(4_000))
    const session = store.begin({ writes: false })
    for (const _ of ['a read', 'another one']) {
      const read = watch(readAs(session, 'articles.list', wholePage))
      await vi.advanceTimersByTimeAsync(60_000)
      expect(read.ended).toEqual(expect.anything())
      expect(read.ended).not.toBeInstanceOf(Error)
    }
  })
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
