import { describe, expect, it } from 'vitest'
import { d1Store } from '../../src/db/store.ts'
import { encodeCursor } from '../../src/jsonapi/cursor.ts'
import type { SessionOptions } from '../../src/jsonapi/store.ts'
import { create } from './changes.ts'
import { readAs, wholePage } from './reading.ts'
import { article, insert, openDomain } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'

/** A state as D1 names it, and as the service hands it on. */
const state = '00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683'
const bookmarkOf = (text: string, database = 'articles') =>
  encodeCursor(`bookmark of ${database}`, { keys: [text], limit: 1 })
const bookmark = bookmarkOf(state)

/** A store on a database that notes how its sessions begin, and names a state. */
function sessions(options: { readonly replicated?: boolean; readonly metered?: boolean }) {
  const { db, cipher, sqlite, roundTrips } = openDomain()
  const begun: (string | undefined)[] = []
  const withSession = (constraint?: string) => {
    begun.push(constraint)
    return { ...db, getBookmark: () => state }
  }
  const store = d1Store({
    registry,
    db: { ...db, withSession: withSession as D1Database['withSession'] },
    cipher,
    waitUntil: () => {},
    quotas: { owned: 1_000, members: 1_000 },
    name: 'articles',
    ...options,
  })
  insert(sqlite, 'articles', article('a'))
  return { store, begun, roundTrips }
}

describe('where a session begins (platform notes, 1.5)', () => {
  it.each<[string, SessionOptions, constraint: string]>([
    ['a read, anywhere', { bookmark: undefined, writes: false }, 'first-unconstrained'],
    ['a write, at the newest state', { bookmark: undefined, writes: true }, 'first-primary'],
    ['with a bookmark, there', { bookmark, writes: false }, state],
    ['a write with a bookmark, there', { bookmark, writes: true }, state],
    ...[
      '',
      'garbage',
      state,
      `${bookmark}0`,
      ` ${bookmark}`,
      `${bookmark}\n`,
      bookmark.toUpperCase(),
      bookmarkOf(state, 'elsewhere'),
      bookmarkOf('first-primary'),
      bookmarkOf(`${state}0`),
      'first-primary',
      'z'.repeat(10_000),
    ].map((text): [string, SessionOptions, string] => [
      `with ${JSON.stringify(text.slice(0, 80))}, as without`,
      { bookmark: text, writes: false },
      'first-unconstrained',
    ]),
  ])('%s', (_, options, constraint) => {
    const { store, begun } = sessions({ replicated: true })
    expect(store.begin(options).bookmark()).toBe(bookmark)
    expect(begun).toEqual([constraint])
  })

  it('nowhere, where the database is not replicated', () => {
    const { store, begun } = sessions({})
    expect(store.begin({ bookmark, writes: false }).bookmark()).toBeNull()
    expect(begun).toEqual([])
  })
})

describe('what a request costs the database', () => {
  it('is counted for each session by itself', async () => {
    const { store, roundTrips } = sessions({ metered: true })
    const [reading, writing] = [false, true].map((writes) =>
      store.begin({ bookmark: undefined, writes }),
    )
    if (!reading || !writing) {
      throw new Error('no session')
    }
    await readAs(reading, 'articles.list', wholePage)
    await readAs(reading, 'articles.list', wholePage)
    await writing.write('articles', create('c'), 'ann')
    expect([reading.usage.roundTrips, writing.usage.roundTrips]).toEqual([2, 1])
    expect(roundTrips).toHaveLength(3)
  })

  it('metered or not, reads find the same', async () => {
    const [plain, metered] = [{}, { metered: true }].map((options) => sessions(options).store)
    if (!plain || !metered) {
      throw new Error('no store')
    }
    for (const offset of [0, 1]) {
      const page = { ...wholePage, limit: 1, total: true, offset }
      const { found } = await readAs(plain, 'articles.list', page)
      expect((await readAs(metered, 'articles.list', page)).found).toEqual(found)
      expect([found.records.length, found.total]).toEqual([1 - offset, 1])
    }
  })
})
