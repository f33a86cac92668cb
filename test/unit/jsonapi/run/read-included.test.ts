import { describe, expect, it } from 'vitest'
import type { From } from '../../../../src/jsonapi/run/port.ts'
import { maxIncluded } from '../../../../src/jsonapi/run/read-operation.ts'
import { readAs } from '../../db/reading.ts'
import { memoryStore, type Stored } from './memory-store.ts'

describe('how much an include may bring', () => {
  const ids = (of: string, count: number) => Array.from({ length: count }, (_, at) => `${of}.${at}`)
  const following = (id: string, count: number): Stored => ({
    type: 'people',
    id,
    links: { follows: ids(id, count) },
  })
  /** One article with 20 contributors, who follow 20 people each, who follow as many as told in all. */
  const crowd = (last: number): readonly Stored[] => [
    { type: 'articles', id: 'a', links: { contributors: ids('p', 20) } },
    ...ids('p', 20).map((first) => following(first, 20)),
    ...ids('p', 20)
      .flatMap((first) => ids(first, 20))
      .map((second, at) => following(second, Math.floor((last + at) / 400))),
  ]
  const room = maxIncluded - 400
  const include = 'contributors.follows.follows'
  const from: From = { kind: 'ids', ids: ['a'] }

  it('refuses what leads to more than an isolate should hold, before it is read', async () => {
    const { store } = memoryStore(crowd(room + 1))
    await expect(readAs(store, 'articles.get', from, { include })).rejects.toMatchObject({
      status: 400,
      problems: [
        {
          code: 'VALUE_INVALID_FORMAT',
          detail: expect.stringContaining(String(maxIncluded)),
          source: { parameter: 'include' },
        },
      ],
    })
  })

  it('reads all of it up to that', async () => {
    const { store, roundTrips } = memoryStore(crowd(room))
    const { included } = await readAs(store, 'articles.get', from, { include })
    // The last ones are links to nobody.
    expect(included).toHaveLength(20 + 400)
    const asked = roundTrips.at(-1)?.flatMap(({ from }) => (from.kind === 'ids' ? from.ids : []))
    expect(asked).toHaveLength(room)
  })
})
