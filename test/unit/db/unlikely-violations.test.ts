import { expect, it } from 'vitest'
import type { Change } from '../../../src/jsonapi/run/store.ts'
import { contributors, create, populated, update } from './changes.ts'

const taken = 'UNIQUE constraint failed: articles.handle_fold: SQLITE_CONSTRAINT'

/** What becomes of a change whose first round trip is told this by D1. */
async function told(message: string, change: Change): Promise<unknown> {
  let trips = 0
  const { write } = await populated(async (_, run) => {
    trips += 1
    if (trips === 1) {
      throw new Error(`D1_ERROR: ${message}`)
    }
    await run()
  })
  return write(change)
}

it.each<[string, Change]>([
  ['a delete', { kind: 'delete', id: 'a' }],
  ['an update of other attributes', update('a', { title: 'T' })],
  ['an addition to a relationship', contributors('add', 'a', ['p02'])],
  ['a replacement', contributors('replace', 'a', ['p02'])],
])(
  '%s that is told of a taken value it did not send is our own fault (contract, section 5)',
  async (_, change) => {
    await expect(told(taken, change)).rejects.toMatchObject({
      problems: [{ code: 'INTERNAL_SERVER_ERROR' }],
    })
  },
)

const full = (column: string) => `NOT NULL constraint failed: ${column}: SQLITE_CONSTRAINT`

it.each<[string, column: string, Change]>([
  ['a delete', 'articles.keeper', { kind: 'delete', id: 'a' }],
  ['an update', 'articles.keeper', update('a', { title: 'T' })],
  ['a removal', 'contributions.article', contributors('remove', 'a', ['p01'])],
  [
    'an update of other relationships',
    'contributions.article',
    update('a', {}, { tags: [{ id: 't01' }] }),
  ],
  ['a create', 'articles.title', create('c')],
])(
  '%s that is told of a missing %s is our own fault, not a quota of the caller',
  async (_, column, change) => {
    await expect(told(full(column), change)).rejects.toMatchObject({
      problems: [{ code: 'INTERNAL_SERVER_ERROR' }],
    })
  },
)

it.each<[string, Change]>([
  ['a create', create('c')],
  ['an update', update('a', { handle: 'X' })],
])('%s that has sent it is told of it', async (_, change) => {
  expect(await told(taken, change)).toEqual({ kind: 'taken', attributes: ['handle'] })
})
