import { describe, expect, it } from 'vitest'
import { NotSent } from '../../../src/db/calls.ts'
import type { Cipher } from '../../../src/db/cipher.ts'
import { failureOf, openDatabase } from '../../../src/db/engine.ts'
import { createStore } from '../../../src/db/store.ts'
import { onceFor } from '../../../src/idempotency/stored-keys.ts'
import type { Edit } from '../../../src/jsonapi/run/port.ts'
import {
  type Change,
  contributors,
  create,
  edit,
  populated,
  refused,
  remove,
  removePerson,
  update,
} from './changes.ts'
import { lost, type Trip, trips } from './hanging.ts'
import { openDomain } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'
import { storeOptions } from './store-options.ts'

const key = onceFor({ name: 'k', fingerprint: 'f' })
const unknown = {
  problems: [{ code: 'INTERNAL_SERVER_ERROR', detail: expect.stringContaining('is not known') }],
  headers: { 'Retry-After': '1' },
}

/** A batch that comes so late does nothing, so that these tests need not wait for seconds. */
const validityMs = 300

async function opened(...plan: readonly Trip[]) {
  const domain = await populated(trips(...plan), { validityMs })
  return {
    ...domain,
    title: () => domain.rows("SELECT title FROM articles WHERE article_no = 'a'"),
  }
}

describe('How a batch has failed', () => {
  it.each([
    ['D1_ERROR: UNIQUE constraint failed: articles.handle_fold: SQLITE_CONSTRAINT', 'conflict'],
    ['D1_ERROR: FOREIGN KEY constraint failed: SQLITE_CONSTRAINT', 'conflict'],
    ["D1_ERROR: bad JSON path: 'a condition does not hold': SQLITE_ERROR", 'conflict'],
    ['D1_ERROR: CHECK constraint failed: words <> 13', 'failed'],
    ['D1_ERROR: Network connection lost.', 'lost'],
    ['D1_ERROR: Internal error in D1 DB storage caused object to be reset.', 'lost'],
    ['D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.', 'lost'],
    ['Unexpected token \'<\', "<html>" is not valid JSON', 'lost'],
    ['fetch failed', 'lost'],
    ['D1_ERROR: D1 DB is overloaded. Requests queued for too long.', 'failed'],
    ['D1_ERROR: too many SQL variables at offset 9: SQLITE_ERROR', 'failed'],
    ['D1_ERROR: Exceeded maximum DB size', 'failed'],
    ["D1_TYPE_ERROR: Type 'bigint' not supported for value '1'", 'failed'],
    ['D1_ERROR: no such table: articles: SQLITE_ERROR', 'failed'],
  ])('%s: %s', (message, failure) => {
    expect(failureOf(new Error(message))).toBe(failure)
    expect(failureOf(new Error('Wrapped', { cause: new Error(message) }))).toBe(failure)
  })

  it('is known where nothing was sent, and also where what was thrown is no error', () => {
    expect(failureOf(new NotSent('Too late'))).toBe('failed')
    expect(failureOf('Network connection lost')).toBe('lost')
  })
})

it('A write whose answer cannot be decrypted is made once, and nothing looks for it', async () => {
  const cipher: Cipher = {
    encrypt: async (text) => text,
    decrypt: () => Promise.reject(new Error('No such key')),
  }
  const { writeAll, roundTrips, rows } = await populated(undefined, { validityMs, cipher })
  await expect(writeAll(edit(create('c', { notes: 'Text' })))).rejects.toMatchObject(unknown)
  expect(roundTrips).toHaveLength(1)
  expect(await rows("SELECT count(*) FROM articles WHERE article_no = 'c'")).toEqual(['1'])
})

describe('A write whose answer is lost', () => {
  it.each(['lost before it', 'lost after it'] as const)(
    'makes a resource once, counts it once, and reads it back: %s',
    async (trip) => {
      const { writeAll, rows } = await opened(trip)
      const outcome = await writeAll(
        edit(create('c', { handle: 'c' })),
        edit(remove('a')),
        edit(contributors('add', 'c', ['p02'])),
      )
      expect(outcome).toMatchObject({ kind: 'done', found: [{ records: [{ id: 'c' }] }] })
      expect(await rows('SELECT article_no FROM articles')).toEqual(['b', 'c'])
      expect(await rows("SELECT person FROM contributions WHERE article = 'c'")).toEqual(['p02'])
      expect(await rows('SELECT value FROM counters')).toEqual(['2'])
    },
  )

  it.each<[string, Trip, ...Edit[]]>([
    ['by its revision', 'lost after it', edit(update('a', { title: 'T' }))],
    ['by all rows that are gone', 'lost after it', removePerson('p02'), removePerson('p03')],
    ['by a row that is still there', 'lost before it', removePerson('p02')],
    [
      'by an expected revision that is still there',
      'lost before it',
      edit(update('a', { title: 'T' }), 'ann', { ifMatch: ['0'] }),
    ],
    [
      'by a new row that is not there, also where it is changed at once',
      'lost before it',
      edit(create('c')),
      edit(update('c', { title: 'T' })),
    ],
    [
      'by what is gone beside what comes and goes',
      'lost after it',
      edit(create('c', { handle: 'c' })),
      edit(remove('c')),
      edit(update('a', { title: 'T' })),
      edit(remove('a')),
    ],
  ])('is known %s, and done once: %s', async (_, trip, ...edits) => {
    const { writeAll } = await opened(trip)
    expect(await writeAll(...edits)).toMatchObject({ kind: 'done' })
  })

  it('has an unknown outcome where nothing shows it, and is not sent again', async () => {
    const { write, title } = await opened('lost before it')
    await expect(write(update('a', { title: 'T' }))).rejects.toMatchObject(unknown)
    await new Promise((resolve) => setTimeout(resolve, 2 * validityMs))
    expect(await title()).toEqual(['Title a'])
  })

  it('changes nothing where it arrives after its time', async () => {
    const late: (() => Promise<void>)[] = []
    const { write, rows } = await populated(
      async (_, run) => {
        if (late.push(run) === 1) {
          throw new Error(lost)
        }
        await run()
      },
      { validityMs },
    )
    await expect(write(update('a', { title: 'T' }))).rejects.toMatchObject(unknown)
    await expect(late[0]?.()).rejects.toThrow('a condition does not hold')
    expect(await rows("SELECT title FROM articles WHERE article_no = 'a'")).toEqual(['Title a'])
  })

  it('has an unknown outcome where the look fails, too', async () => {
    const { write } = await opened('lost after it', 'lost before it')
    await expect(write(update('a', { title: 'T' }))).rejects.toMatchObject(unknown)
  })

  it('has an unknown outcome where it leaves nothing to look for, and is not sent again', async () => {
    const { writeAll, roundTrips } = await opened('lost before it')
    await expect(writeAll(edit(create('c')), edit(remove('c')))).rejects.toMatchObject(unknown)
    expect(roundTrips).toHaveLength(2)
  })

  it('is looked for at the newest state, in a session of its own', async () => {
    const { db, cipher } = openDomain(trips('lost after it'))
    const [begun, asked]: [unknown[], number[]] = [[], []]
    const withSession = (constraint: unknown) => {
      const session = begun.push(constraint)
      const batch: typeof db.batch = (statements) => {
        asked.push(session)
        return db.batch(statements)
      }
      return { ...db, batch, getBookmark: () => `state ${session}` }
    }
    const DB = { ...db, withSession } as unknown as D1Database
    const options = { ...storeOptions, registry, cipher, validityMs }
    const database = openDatabase({ DB }, { ...options, replicated: true })
    const session = createStore({ database, ...options }).begin({ writes: true })
    expect(await session.write([edit(create('c'))])).toMatchObject({ kind: 'done' })
    expect([begun, asked]).toEqual([
      ['first-primary', 'first-primary'],
      [1, 2],
    ])
    expect(session.usage.roundTrips).toBe(3)
    expect(session.bookmark()).toBe('state 2')
  })

  it('is refused for what it is refused for', async () => {
    const { writeAll } = await opened('lost before it')
    const taken = edit(create('c', { handle: 'handle-b' }))
    expect(await writeAll(edit(remove('a')), taken)).toEqual(
      refused({ kind: 'taken', attribute: 'handle' }, 1),
    )
  })

  it('with an expected revision never overwrites what somebody else has written since', async () => {
    let isFirst = true
    const { d1, writeAll, rows }: Awaited<ReturnType<typeof populated>> = await populated(
      async (_, run) => {
        if (isFirst) {
          isFirst = false
          await d1.prepare("UPDATE articles SET edition = 'theirs', title = 'Theirs'").raw()
          throw new Error(lost)
        }
        await run()
      },
      { validityMs },
    )
    const one = edit(update('a', { title: 'T' }), 'ann', { ifMatch: ['0'] })
    await expect(writeAll(one)).rejects.toMatchObject(unknown)
    expect(await rows("SELECT title FROM articles WHERE article_no = 'a'")).toEqual(['Theirs'])
  })

  it.each([
    ['lost before it', { kind: 'done' }],
    ['lost after it', { kind: 'used', created: ['c'] }],
  ] as const)('with a key is made once: %s', async (trip, outcome) => {
    const { write, rows } = await opened(trip)
    expect(await write(create('c'), 'ann', key)).toMatchObject(outcome)
    expect(await rows('SELECT name, created FROM idempotency_keys')).toEqual(['k c'])
    expect(await rows('SELECT count(*) FROM articles')).toEqual(['3'])
  })
})

describe('A write that is refused while all its conditions hold', () => {
  /** The batches fail so many times, and the questions in between are answered. */
  async function crowded(times: number) {
    let failures = 0
    return populated(async (texts, run) => {
      const isBatch = texts.some((text) => /^(insert|update|delete)/i.test(text))
      if (isBatch && failures++ < times) {
        throw new Error('D1_ERROR: FOREIGN KEY constraint failed: SQLITE_CONSTRAINT')
      }
      await run()
    })
  }

  it.each<[string, Change]>([
    ['a create', create('c')],
    ['an update', update('a', { handle: 'X' })],
    ['a removal', contributors('remove', 'a', ['p01'])],
    ['a delete', remove('a')],
  ])('is sent again: %s', async (_, change) => {
    const { write, roundTrips } = await crowded(1)
    expect(await write(change)).toMatchObject({ kind: 'done' })
    expect(roundTrips).toHaveLength(3)
  })

  it('is sent five times at most, and the failure says that nothing was written', async () => {
    const { write, roundTrips } = await crowded(9)
    await expect(write(create('c'))).rejects.toMatchObject({
      problems: [{ detail: expect.stringContaining('Nothing was written') }],
      headers: { 'Retry-After': '1' },
    })
    expect(roundTrips).toHaveLength(10)
  })
})
