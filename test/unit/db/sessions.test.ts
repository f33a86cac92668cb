import { describe, expect, it } from 'vitest'
import { create, edit } from './changes.ts'
import { readAs, wholePage } from './reading.ts'
import { article, insert, openDomain } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'
import { openedStore, storeOptions } from './store-options.ts'

/** A state as D1 names it. */
const state = '00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683'

/** A store on a database that notes how its sessions begin. */
async function sessions({ replicated = false }) {
  const { db, cipher, d1, roundTrips } = await openDomain()
  const begun: (string | undefined)[] = []
  const withSession = (constraint?: string) => {
    begun.push(constraint)
    return { ...db, getBookmark: () => state }
  }
  const store = openedStore({
    registry,
    db: { ...db, withSession: withSession as D1Database['withSession'] },
    cipher,
    ...storeOptions,
    replicated,
  })
  await insert(d1, 'articles', article('a'))
  const begin = ({ writes = false, bookmark = undefined as string | undefined } = {}) =>
    store.begin({ bookmark, writes })
  return { begin, begun, roundTrips, store }
}

describe('where a session begins (contract, section 16)', () => {
  it('a read begins anywhere or at its bookmark, a write at the newest state, with a bookmark too', async () => {
    const { begin, begun } = await sessions({ replicated: true })
    begin()
    begin({ bookmark: state })
    begin({ writes: true })
    begin({ writes: true, bookmark: state })
    expect(begun).toEqual(['first-unconstrained', state, 'first-primary', 'first-primary'])
  })

  it('a session tells the bookmark of D1', async () => {
    const { begin } = await sessions({ replicated: true })
    expect(begin().bookmark()).toBe(state)
  })

  it('a database that is not replicated has no sessions and no bookmarks', async () => {
    const { begin, begun } = await sessions({})
    expect(begin({ bookmark: state }).bookmark()).toBeNull()
    expect(begin({ writes: true }).bookmark()).toBeNull()
    expect(begun).toEqual([])
  })

  it('reference data are read from the nearest replica', async () => {
    const { begin, begun } = await sessions({ replicated: true })
    const session = begin({ writes: true })
    begun.length = 0
    await readAs(session, 'tags.list', wholePage)
    expect(begun).toEqual(['first-unconstrained'])
  })
})

describe('what a request costs the database', () => {
  it('is counted for each session by itself', async () => {
    const { begin, roundTrips } = await sessions({})
    const [reading, writing] = [begin(), begin({ writes: true })]
    await readAs(reading, 'articles.list', wholePage)
    await readAs(reading, 'articles.list', wholePage)
    await writing.write([edit(create('c'))])
    expect([reading.usage.roundTrips, writing.usage.roundTrips]).toEqual([2, 1])
    expect(roundTrips).toHaveLength(3)
  })
})
