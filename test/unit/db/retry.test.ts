import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isTransient } from '#dialect'
import { DatabaseDeadline, newUsage } from '../../../src/db/connection.ts'
import { retrying, UnknownOutcome } from '../../../src/db/retry.ts'
import type { Change } from '../../../src/jsonapi/run/store.ts'
import { complete, contributors, create, edit, populated, update } from './changes.ts'
import { readAs, wholePage } from './reading.ts'

/** Failures as D1 words them, and Drizzle wraps them. */
const transient = [
  'D1_ERROR: Network connection lost.',
  'D1_ERROR: Internal error in D1 DB storage caused object to be reset.',
  'D1_ERROR: D1 DB reset because its code was updated.',
  'D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.',
  "Can't read from request stream because client disconnected.",
]
const lasting = [
  'D1_ERROR: D1 DB is overloaded. Too many requests queued.',
  'D1_ERROR: D1 DB is overloaded. Requests queued for too long.',
  'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
  'D1_ERROR: D1 DB exceeded its memory limit and was reset.',
  'D1_ERROR: D1 DB exceeded its CPU time limit and was reset.',
  'D1_ERROR: no such table: articles: SQLITE_ERROR',
  'D1_ERROR: too many SQL variables at offset 7: SQLITE_ERROR',
]

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('which failures are retried (contract, section 14)', () => {
  it.each(transient)('those that say: %s', (message) => {
    expect(isTransient(new Error(message))).toBe(true)
    expect(isTransient(new Error('Failed query', { cause: new Error(message) }))).toBe(true)
  })

  it.each(lasting)('not those that say: %s', (message) => {
    expect(isTransient(new Error(message))).toBe(false)
  })

  it('not those of a call that has met its deadline, since it may still be at work', () => {
    expect(isTransient(new DatabaseDeadline('D1 has not answered within 5000 ms'))).toBe(false)
  })

  it.each([undefined, null, 'Network connection lost', { message: 'Network connection lost' }])(
    'not what is thrown and is no error: %j',
    (thrown) => {
      expect(isTransient(thrown)).toBe(false)
    },
  )
})

describe('how a failed task is retried', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })

  const failing = (message: string, times: number) => {
    const attempts: number[] = []
    const task = async () => {
      attempts.push(attempts.length + 1)
      if (attempts.length <= times) {
        throw new Error(message)
      }
      return 'done'
    }
    return { attempts, task }
  }
  const [lost = ''] = transient

  it.each([0, 1, 2])('%d transient failures are survived', async (times) => {
    const { attempts, task } = failing(lost, times)
    const usage = newUsage()
    const [result] = await Promise.all([retrying(usage, task), vi.runAllTimersAsync()])
    expect(result).toBe('done')
    expect(usage.attempts).toBe(times + 1)
    expect(attempts).toEqual([1, 2, 3].slice(0, times + 1))
  })

  it('after the third one in a row the outcome is not known', async () => {
    const { attempts, task } = failing(lost, 3)
    const cause = new Error(lost)
    const result = expect(retrying(newUsage(), task)).rejects.toMatchObject({
      name: 'UnknownOutcome',
      cause,
    })
    await vi.runAllTimersAsync()
    await result
    expect(attempts).toEqual([1, 2, 3])
  })

  it('after a pause of at most 100 ms, then 200 ms, at random', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const { attempts, task } = failing(lost, 2)
    const result = retrying(newUsage(), task)
    await vi.advanceTimersByTimeAsync(49)
    expect(attempts).toEqual([1])
    await vi.advanceTimersByTimeAsync(1)
    expect(attempts).toEqual([1, 2])
    await vi.advanceTimersByTimeAsync(99)
    expect(attempts).toEqual([1, 2])
    await vi.advanceTimersByTimeAsync(1)
    expect(attempts).toEqual([1, 2, 3])
    expect(await result).toBe('done')
  })

  it.each([
    [1_950, 2],
    [1_951, 1],
  ])(
    'with no attempt that begins after two seconds: where each takes %d ms, there are %d',
    async (ms, count) => {
      vi.spyOn(Math, 'random').mockReturnValue(0.5)
      let begun = 0
      const slow = async () => {
        begun += 1
        await new Promise((resolve) => setTimeout(resolve, ms))
        throw new Error(lost)
      }
      const result = expect(retrying(newUsage(), slow)).rejects.toThrow(UnknownOutcome)
      await vi.runAllTimersAsync()
      await result
      expect(begun).toBe(count)
    },
  )
})

type Populated = Awaited<ReturnType<typeof populated>>

describe('how often the database is asked', () => {
  const asked = async (
    message: string,
    fails: number,
    run: (store: Populated) => Promise<unknown>,
  ) => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const store = await populated(async (_, run) => {
      if (store.roundTrips.length <= fails) {
        throw new Error(message)
      }
      await run()
    })
    const ended = await run(store).then(
      () => 'answered',
      () => 'failed',
    )
    return [ended, store.roundTrips.length]
  }
  const [[lost = ''], [lasts = '']] = [transient, lasting]
  const write = ({ write }: Populated) => write(update('a', { title: 'T' }))
  const read = ({ store }: Populated) => readAs(store, 'articles.list', wholePage)

  // Which failures these are is told above.
  it('for a write three times at most, and once where the failure lasts', async () => {
    expect(await asked(lost, 1, write)).toEqual(['answered', 2])
    expect(await asked(lost, 2, write)).toEqual(['answered', 3])
    expect(await asked(lost, 3, write)).toEqual(['failed', 3])
    expect(await asked(lasts, 1, write)).toEqual(['failed', 1])
  })

  it('for a write is told in what the request has cost', async () => {
    const attempts: number[] = []
    const twice = async ({ store }: Populated) => {
      const session = store.begin({
        writes: true,
      })
      await session.write([edit(update('a', { title: 'T' }))])
      attempts.push(session.usage.attempts)
    }
    await asked(lost, 0, twice)
    await asked(lost, 1, twice)
    expect(attempts).toEqual([1, 2])
  })

  it('for a read once, since D1 itself reads again', async () => {
    expect(await asked(lost, 1, read)).toEqual(['failed', 1])
    expect(await asked(lasts, 1, read)).toEqual(['failed', 1])
  })
})

const editor = (id: string) => ({ id, meta: { part: 'EDITOR' } })
const remove = (id: string): Change => ({ kind: 'delete', id })

describe('a connection that breaks (contract, section 14)', () => {
  const lost = new Error('D1_ERROR: Network connection lost.')

  /** Fails the first round trip, before or after it has happened. */
  function breaking(when: 'before' | 'after') {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    let trips = 0
    return populated(async (_, run) => {
      trips++
      if (trips > 1 || when === 'after') {
        await run()
      }
      if (trips === 1) {
        throw lost
      }
    })
  }

  it.each(['before', 'after'] as const)(
    '%s a create was committed leaves it created once, and read back',
    async (when) => {
      const { write, rows, roundTrips } = await breaking(when)
      const outcome = await write(create('c', {}, { contributors: [editor('p02')] }))
      expect(outcome).toMatchObject({
        kind: 'done',
        found: { records: [{ id: 'c', attributes: complete }] },
      })
      expect(await rows("SELECT count(*) FROM articles WHERE article_no = 'c'")).toEqual(['1'])
      expect(await rows("SELECT person FROM contributions WHERE article = 'c'")).toEqual(['p02'])
      expect(await rows('SELECT value FROM counters')).toEqual(['3'])
      expect(roundTrips).toHaveLength(when === 'before' ? 2 : 3)
    },
  )

  it('before a create whose value is taken still tells so', async () => {
    const { write } = await breaking('before')
    expect(await write(create('c', { handle: 'handle-a' }))).toMatchObject({ kind: 'taken' })
  })

  it('before a delete of what is somebody else’s does not pass for a success', async () => {
    const { write } = await breaking('before')
    expect(await write(remove('b'))).toEqual({ kind: 'foreign' })
  })

  it.each<[string, Change, rows: string[]]>([
    ['an update', update('a', { title: 'T' }, { contributors: [editor('p03')] }), ['p03 EDITOR']],
    ['an addition', contributors('add', 'a', ['p02']), ['p01 EDITOR', 'p02 EDITOR']],
    ['a replacement', contributors('replace', 'a', ['p02']), ['p02 EDITOR']],
    ['a removal', contributors('remove', 'a', ['p01']), []],
  ])('after %s was committed does no harm to do it again', async (_, change, expected) => {
    const { write, rows } = await breaking('after')
    expect(await write(change)).toEqual({ kind: 'done' })
    expect(await rows('SELECT person, part FROM contributions')).toEqual(expected)
  })
})
