import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NotSent } from '../../../src/db/calls.ts'
import { failureOf, openDatabase } from '../../../src/db/engine.ts'
import { createStore } from '../../../src/db/store.ts'
import { onceFor } from '../../../src/idempotency/stored-keys.ts'
import type { Edit, Read } from '../../../src/jsonapi/run/port.ts'
import type { Cipher } from '../../../src/lib/key-ring.ts'
import {
  type Change,
  contributors,
  create,
  edit,
  populated,
  refused,
  remove,
  update,
} from './changes.ts'
import { ended, lost, type Trip, trips } from './hanging.ts'
import { openDomain } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'
import { storeOptions } from './store-options.ts'

const key = onceFor({ name: 'k', fingerprint: 'f' })
const unknown = {
  problems: [{ code: 'INTERNAL_SERVER_ERROR', detail: expect.stringContaining('is not known') }],
  headers: { 'Retry-After': '1' },
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const isBatch = (texts: readonly string[]) =>
  texts.some((text) => /^(insert|update|delete)/i.test(text))

type Domain = Awaited<ReturnType<typeof populated>>

/** What others do before the first answer is lost. */
type Others = (domain: Domain) => Promise<unknown>

/** A store whose first round trips go as planned. */
async function opened(plan: readonly Trip[], others?: Others) {
  const planned = trips(...plan)
  const domain: Domain = await populated(async (texts, run) => {
    const isFirst = domain.roundTrips.length === 1
    await planned(texts, run).finally(() => (isFirst ? others?.(domain) : undefined))
  })
  return {
    ...domain,
    /** How often a batch was sent, and what is stored: the titles of articles, their number, and keys. */
    state: async () => ({
      sent: domain.roundTrips.filter(isBatch).length,
      stored: await domain.rows('SELECT article_no, title FROM articles ORDER BY article_no'),
      count: await domain.rows("SELECT value FROM counters WHERE name = 'articles'"),
    }),
  }
}

const b = 'b Title b'
const before = ['a Title a', b]
/** What others do meanwhile, and what is stored then. */
const deleteOf = (id: string) => (domain: Domain) =>
  domain.d1.prepare(`DELETE FROM articles WHERE article_no = '${id}'`).raw()
const [deleteA, deleteC] = [deleteOf('a'), deleteOf('c')]
const rename = ({ d1 }: Domain) =>
  d1.prepare("UPDATE articles SET edition = 'theirs', title = 'Theirs'").raw()
const renameAndDelete = async (domain: Domain) => [await rename(domain), await deleteC(domain)]
const theirs = ['a Theirs', 'b Theirs']
const added = edit(contributors('add', 'c', ['p02']))
const renamed = (further?: Partial<Edit>) => edit(update('a', { title: 'T' }), 'ann', further)

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
  const { writeAll, roundTrips, rows } = await populated(undefined, { cipher })
  await expect(writeAll(edit(create('c', { notes: 'Text' })))).rejects.toMatchObject(unknown)
  expect(roundTrips).toHaveLength(1)
  expect(await rows("SELECT count(*) FROM articles WHERE article_no = 'c'")).toEqual(['1'])
})

describe('A write whose answer D1 has lost', () => {
  // What was made is found with the first look. What was not is sent again once that is certain.
  it.each<[string, sent: number, readonly Edit[], readonly string[], Others?]>([
    ['its revision', 1, [renamed()], ['a T', b]],
    ['a new row', 1, [edit(create('c'))], [...before, 'c Title']],
    ['a new row that others change', 1, [edit(create('c'))], [...theirs, 'c Theirs'], rename],
    ['a new row beside others', 1, [edit(create('c')), edit(remove('a')), added], [b, 'c Title']],
    ['a row that goes', 2, [edit(remove('a')), edit(create('c'))], [b, 'c Title']],
    ['the expected revision', 2, [renamed({ ifMatch: ['0'] })], ['a T', b]],
  ])(
    'is made once where %s is there: it is sent %i times',
    async (_, sent, edits, stored, others) => {
      const trip = sent === 1 ? 'lost after it' : 'lost before it'
      const { writeAll, state, roundTrips } = await opened([trip], others)
      const { outcome, waited } = await ended(writeAll(...edits))
      const found = edits.flatMap(({ read, id }) => (read ? [{ records: [{ id }] }] : []))
      expect(outcome).toMatchObject({ kind: 'done', found })
      expect(await state()).toEqual({ sent, stored, count: [String(stored.length)] })
      expect([roundTrips.length === 2, waited > 3_000]).toEqual([sent === 1, sent === 2])
    },
  )

  it('and was not made is refused for what it is refused for', async () => {
    const { writeAll } = await opened(['lost before it'])
    const taken = edit(create('c', { handle: 'handle-b' }))
    expect((await ended(writeAll(edit(remove('a')), taken))).outcome).toEqual(
      refused({ kind: 'taken', attribute: 'handle' }, 1),
    )
  })

  // What others do meanwhile looks the same as a write that was never made.
  it.each<[string, Trip, readonly Edit[], readonly string[], Others?]>([
    ['a new row is missing', 'lost before it', [edit(create('c'))], before],
    ['a new row was deleted', 'lost after it', [edit(create('c'))], before, deleteC],
    ['both are gone', 'lost after it', [renamed(), edit(create('c'))], theirs, renameAndDelete],
    ['the row has another revision', 'lost before it', [renamed()], before],
    ['somebody has changed the row', 'lost after it', [renamed()], theirs, rename],
    ['the expected one is gone', 'lost before it', [renamed({ ifMatch: ['0'] })], theirs, rename],
    ['a row to be deleted is gone', 'lost after it', [edit(remove('a'))], [b]],
    ['others have deleted the row', 'lost before it', [edit(remove('a'))], [b], deleteA],
    ['nothing is left of it', 'lost before it', [edit(create('c')), edit(remove('c'))], before],
  ])(
    'is not known, and is not sent again, where %s (%s)',
    async (_, trip, edits, stored, others) => {
      const { writeAll, state } = await opened([trip], others)
      const { outcome, waited } = await ended(writeAll(...edits))
      expect(outcome).toMatchObject({ failed: unknown })
      expect(await state()).toMatchObject({ sent: 1, stored })
      expect(waited).toBeLessThan(5_000)
    },
  )

  it('shows what it has made as it is now', async () => {
    const { writeAll } = await opened(['lost after it'], async (domain) => {
      await deleteC(domain)
      await domain.d1.prepare("UPDATE articles SET title = 'Theirs'").raw()
    })
    const [c, d] = [edit(create('c', { handle: 'c' })), edit(create('d', { handle: 'd' }))]
    expect((await ended(writeAll(c, d))).outcome).toMatchObject({
      kind: 'done',
      found: [{ records: [] }, { records: [{ id: 'd', attributes: { title: 'Theirs' } }] }],
    })
  })

  it.each([
    ['lost before it', 2, { kind: 'done' }, [...before, 'c Title']],
    ['lost after it', 1, { kind: 'used', created: ['c'] }, before],
  ] as const)(
    'with a key is made once, also if it was deleted: %s',
    async (trip, sent, expected, stored) => {
      const { write, state, rows } = await opened([trip], deleteC)
      expect((await ended(write(create('c'), 'ann', key))).outcome).toMatchObject(expected)
      expect(await rows('SELECT name, created FROM idempotency_keys')).toEqual(['k c'])
      expect(await state()).toMatchObject({ sent, stored })
    },
  )

  it('with a key is not known where it was deleted, and the next answer is lost, too', async () => {
    const { store } = await opened(['lost after it', 'good', 'lost before it'], deleteC)
    const session = store.begin({ writes: true })
    const made = edit(create('c'))
    expect((await ended(session.write([made], key))).outcome).toMatchObject({ kind: 'used' })
    const { outcome } = await ended(session.read([made.read as Read]))
    expect(outcome).toMatchObject({ failed: unknown })
  })

  it.each<[string, Change, readonly string[]]>([
    ['a create', create('c'), [...before, 'c Title']],
    ['an update', update('a', { title: 'T' }), ['a T', b]],
  ])(
    'with a key is no replay of itself, and needs no further answer: %s',
    async (_, change, stored) => {
      const { write, state } = await opened(['lost after it', 'good', 'lost before it'])
      const found = change.read ? [{ records: [{ id: change.id }] }] : []
      const { outcome } = await ended(write(change, 'ann', key))
      expect(outcome).toMatchObject({ kind: 'done', found })
      expect(await state()).toMatchObject({ sent: 1, stored })
    },
  )

  it('is looked for again where the look fails', async () => {
    const { write, state } = await opened(['lost after it', 'lost before it', 'lost after it'])
    expect((await ended(write(update('a', { title: 'T' })))).outcome).toMatchObject({
      kind: 'done',
    })
    expect(await state()).toMatchObject({ sent: 1 })
  })

  it.each<[string, Trip[], number, object]>([
    ['every look fails', Array<Trip>(20).fill('lost after it'), 0, { failed: unknown }],
    ['the clock of D1 is behind', ['lost before it'], -30_000, { failed: unknown }],
    ['the clock of D1 is behind, and it was made', ['lost after it'], -30_000, { kind: 'done' }],
    ['the clock of D1 is ahead', ['good', 'good', 'lost after it'], 30_000, { kind: 'done' }],
  ])('waits ten seconds at most: %s', async (_, plan, aheadMs, expected) => {
    const { write, clock } = await opened(plan)
    clock.aheadMs = aheadMs
    const { outcome, waited } = await ended(write(update('a', { title: 'T' })))
    expect(outcome).toMatchObject(expected)
    expect(waited).toBeLessThanOrEqual(10_000)
  })

  it('changes nothing where it arrives after its time', async () => {
    const late: (() => Promise<void>)[] = []
    const { write, rows } = await populated(async (_, run) => {
      if (late.push(run) === 1) {
        throw new Error(lost)
      }
      await run()
    })
    expect((await ended(write(update('a', { title: 'T' })))).outcome).toMatchObject({
      failed: unknown,
    })
    await expect(late[0]?.()).rejects.toThrow('a condition does not hold')
    expect(await rows("SELECT title FROM articles WHERE article_no = 'a'")).toEqual(['Title a'])
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
    const options = { ...storeOptions, registry, cipher }
    const database = openDatabase({ DB }, { ...options, replicated: true })
    const session = createStore({ database, ...options }).begin({ writes: true })
    const { outcome } = await ended(session.write([edit(create('c'))]))
    expect(outcome).toMatchObject({ kind: 'done' })
    expect([begun, asked]).toEqual([
      ['first-primary', 'first-primary'],
      [1, 2],
    ])
    expect(session.usage.roundTrips).toBe(2)
    expect(session.bookmark()).toBe('state 2')
  })
})

describe('A write that is refused while all its conditions hold', () => {
  /** The batches fail so many times, and the questions in between are answered. */
  async function crowded(times: number) {
    let failures = 0
    return populated(async (texts, run) => {
      if (isBatch(texts) && failures++ < times) {
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
    expect((await ended(write(change))).outcome).toMatchObject({ kind: 'done' })
    expect(roundTrips).toHaveLength(3)
  })

  it('is sent five times at most, and the failure says that nothing was written', async () => {
    const { write, roundTrips } = await crowded(9)
    expect((await ended(write(create('c')))).outcome).toMatchObject({
      failed: {
        problems: [{ detail: expect.stringContaining('Nothing was written') }],
        headers: { 'Retry-After': '1' },
      },
    })
    expect(roundTrips).toHaveLength(10)
  })
})
