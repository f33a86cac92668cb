import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSigner, parseKeyRing } from '../../../src/lib/key-ring.ts'
import { create, edit } from './changes.ts'
import { readAs, wholePage } from './reading.ts'
import { article, insert, openDomain } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'
import { openedStore, storeOptions } from './store-options.ts'

const ringOf = (current: string, ids: readonly string[] = [current]) =>
  JSON.stringify({ current, keys: Object.fromEntries(ids.map((id) => [id, id.repeat(43)])) })
const replicasOf = (name = 'articles', ring = ringOf('a'), purpose = 'bookmark') => ({
  name,
  signer: createSigner(parseKeyRing(ring), purpose),
})

/** A state as D1 names it: the higher the number, the newer. */
const stateOf = (number: number) =>
  `${number.toString(16).padStart(8, '0')}-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683`
const state = stateOf(0x85)

interface Options {
  readonly replicas?: ReturnType<typeof replicasOf>
  readonly metered?: boolean
}

type Begin = { bookmark?: string | undefined; writes?: boolean; caller?: string }

/** A store on a database that notes how its sessions begin, and names a state that can be put forward. */
async function sessions({ replicas, metered = false }: Options) {
  const { db, cipher, d1, roundTrips } = await openDomain()
  const begun: (string | undefined)[] = []
  const now: { state: string | null } = { state }
  const withSession = (constraint?: string) => {
    begun.push(constraint)
    return { ...db, getBookmark: () => now.state }
  }
  const store = openedStore({
    registry,
    db: { ...db, withSession: withSession as D1Database['withSession'] },
    cipher,
    ...storeOptions,
    replicas,
    metered,
  })
  await insert(d1, 'articles', article('a'))
  const begin = ({ bookmark, writes = false, caller = 'ann' }: Begin = {}) =>
    store.begin({ bookmark: () => bookmark, writes, caller: () => caller })
  /** Lets a caller write; the state that the write leads to. */
  const write = async (caller: string, to: string | null) => {
    now.state = to
    const id = crypto.randomUUID()
    const session = await begin({ writes: true, caller })
    expect(await session.write([edit(create(id, { handle: id }), caller)])).toMatchObject({
      kind: 'done',
    })
    return session
  }
  /** Where a read of a caller begins. */
  const readsAt = async (caller: string, bookmark?: string) => {
    await begin({ caller, bookmark })
    return begun.at(-1)
  }
  return { begin, begun, now, readsAt, roundTrips, store, write }
}

/** A bookmark of a state, as a service with such replicas gives it out. */
async function bookmarkOf(text: string, replicas = replicasOf()): Promise<string> {
  const { begin, now } = await sessions({ replicas })
  now.state = text
  return String(await (await begin()).bookmark())
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('where a session begins (contract, section 16)', () => {
  it('a read begins anywhere, a write at the newest state, with a bookmark too', async () => {
    const { begin, begun } = await sessions({ replicas: replicasOf() })
    const bookmark = await bookmarkOf(state)
    await begin()
    await begin({ writes: true })
    await begin({ writes: true, bookmark })
    expect(begun).toEqual(['first-unconstrained', 'first-primary', 'first-primary'])
  })

  it('a read with a bookmark begins there', async () => {
    const { readsAt } = await sessions({ replicas: replicasOf() })
    expect(await readsAt('ann', await bookmarkOf(state))).toBe(state)
  })

  it('a read with a bookmark under an earlier key begins there as long as the key is in the ring', async () => {
    const bookmark = await bookmarkOf(state)
    const rotated = await sessions({ replicas: replicasOf('articles', ringOf('b', ['a', 'b'])) })
    expect(await rotated.readsAt('ann', bookmark)).toBe(state)
    const dropped = await sessions({ replicas: replicasOf('articles', ringOf('b')) })
    expect(await dropped.readsAt('ann', bookmark)).toBe('first-unconstrained')
  })

  it('bookmarks have one length and only characters that a header and a URL may hold', async () => {
    for (const number of [0, 0x85, 0xffffffff]) {
      expect(await bookmarkOf(stateOf(number))).toMatch(/^[\w-]{122}$/)
    }
  })

  it.each<[string, make: (bookmark: string) => string | Promise<string>]>([
    ['is empty', () => ''],
    ['is no bookmark', () => 'garbage'],
    ["is D1's own", () => state],
    ['is a constraint of D1', () => 'first-primary'],
    ['goes on after its end', (bookmark) => `${bookmark}0`],
    ['begins with a space', (bookmark) => ` ${bookmark}`],
    ['ends with a line break', (bookmark) => `${bookmark}\n`],
    ['has changed letters', (bookmark) => bookmark.toUpperCase()],
    ['is cut short', (bookmark) => bookmark.slice(0, -1)],
    ['stands twice', (bookmark) => `${bookmark}, ${bookmark}`],
    ['is huge', () => 'z'.repeat(10_000)],
    ['names a newer state than it was made for', (bookmark) => forged(bookmark, stateOf(0x86))],
    ['is of another database', () => bookmarkOf(state, replicasOf('elsewhere'))],
    ['is made under another key', () => bookmarkOf(state, replicasOf('articles', ringOf('z')))],
    [
      'is a code for another purpose',
      () => bookmarkOf(state, replicasOf('articles', ringOf('a'), 'cache')),
    ],
  ])('a bookmark that %s is ignored', async (_, make) => {
    const { readsAt } = await sessions({ replicas: replicasOf() })
    const bookmark = await make(await bookmarkOf(state))
    expect(await readsAt('ann', bookmark)).toBe('first-unconstrained')
  })

  it.each(['first-primary', `${state}0`, state.toUpperCase(), ''])(
    'a state in another format than that of D1 gets no bookmark and is not remembered: "%s"',
    async (text) => {
      const { readsAt, write } = await sessions({ replicas: replicasOf() })
      expect(await (await write('ann', text)).bookmark()).toBeNull()
      expect(await readsAt('ann')).toBe('first-unconstrained')
    },
  )

  it('of a bookmark that cannot be one, no code is computed', async () => {
    const verify = vi.fn(async () => true)
    const signer = { verify, sign: async () => 'x'.repeat(43) }
    const { readsAt } = await sessions({ replicas: { name: 'articles', signer } })
    for (const text of ['z'.repeat(10_000), 'z'.repeat(122), state, '']) {
      expect(await readsAt('ann', text)).toBe('first-unconstrained')
    }
    expect(verify).not.toHaveBeenCalled()
  })

  it('a database that is not replicated has no sessions, bookmarks or codes', async () => {
    const subtle = vi.spyOn(crypto.subtle, 'importKey')
    const { begin, begun, write } = await sessions({})
    expect(await (await begin({ bookmark: 'x'.repeat(122) })).bookmark()).toBeNull()
    expect(await (await write('ann', state)).bookmark()).toBeNull()
    expect(begun).toEqual([])
    expect(subtle).not.toHaveBeenCalled()
    subtle.mockRestore()
  })

  it('reference data are read from the nearest replica', async () => {
    const { begin, begun } = await sessions({ replicas: replicasOf() })
    const session = await begin({ writes: true })
    begun.length = 0
    await readAs(session, 'tags.list', wholePage)
    expect(begun).toEqual(['first-unconstrained'])
  })
})

describe('a caller that knows nothing of bookmarks (contract, section 16)', () => {
  it('reads its own writes for a minute', async () => {
    const { readsAt, write } = await sessions({ replicas: replicasOf() })
    await write('ann', stateOf(7))
    expect(await readsAt('ann')).toBe(stateOf(7))
    vi.advanceTimersByTime(59_999)
    expect(await readsAt('ann')).toBe(stateOf(7))
    vi.advanceTimersByTime(1)
    expect(await readsAt('ann')).toBe('first-unconstrained')
  })

  it('does not read at the states of others', async () => {
    const { readsAt, write } = await sessions({ replicas: replicasOf() })
    await write('ann', stateOf(7))
    expect(await readsAt('bob')).toBe('first-unconstrained')
  })

  it('reads at the newest of several writes, in whatever order their answers come', async () => {
    const { readsAt, write } = await sessions({ replicas: replicasOf() })
    for (const number of [7, 9, 8]) {
      await write('ann', stateOf(number))
    }
    expect(await readsAt('ann')).toBe(stateOf(9))
  })

  it('reads at the newer of its last write and of the bookmark that it brings', async () => {
    const { readsAt, write } = await sessions({ replicas: replicasOf() })
    await write('ann', stateOf(0x9f))
    expect(await readsAt('ann', await bookmarkOf(stateOf(0x9e)))).toBe(stateOf(0x9f))
    expect(await readsAt('ann', await bookmarkOf(stateOf(0xa0)))).toBe(stateOf(0xa0))
    expect(await readsAt('ann', forged(await bookmarkOf(state), stateOf(0xff)))).toBe(stateOf(0x9f))
  })

  it('forgets a state that no later write reaches a minute after its own write', async () => {
    const { readsAt, write } = await sessions({ replicas: replicasOf() })
    await write('ann', stateOf(9))
    vi.advanceTimersByTime(50_000)
    await write('ann', stateOf(1))
    expect(await readsAt('ann')).toBe(stateOf(9))
    vi.advanceTimersByTime(10_000)
    await write('ann', stateOf(2))
    expect(await readsAt('ann')).toBe(stateOf(2))
  })
})

describe('what a request costs the database', () => {
  it('is counted for each session by itself', async () => {
    const { begin, roundTrips } = await sessions({ metered: true })
    const [reading, writing] = [await begin(), await begin({ writes: true })]
    await readAs(reading, 'articles.list', wholePage)
    await readAs(reading, 'articles.list', wholePage)
    await writing.write([edit(create('c'))])
    expect([reading.usage.roundTrips, writing.usage.roundTrips]).toEqual([2, 1])
    expect(roundTrips).toHaveLength(3)
  })

  it('metered or not, reads find the same', async () => {
    const [plain, metered] = await Promise.all(
      [{}, { metered: true }].map(async (options) => (await sessions(options)).store),
    )
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

/** A bookmark with the code of another state. */
function forged(bookmark: string, to: string): string {
  return btoa(to).replace('=', '') + bookmark.slice(79)
}
