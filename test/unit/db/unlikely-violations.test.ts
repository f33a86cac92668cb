import { expect, it } from 'vitest'
import type { Change } from '../../../src/jsonapi/run/store.ts'
import { contributors, create, populated, update } from './changes.ts'

const taken = 'UNIQUE constraint failed: articles.handle_fold: SQLITE_CONSTRAINT'
const dangling = 'FOREIGN KEY constraint failed: SQLITE_CONSTRAINT'
const missing = 'NOT NULL constraint failed: articles.title: SQLITE_CONSTRAINT'

/** How a change ends whose first round trips fail with these messages of D1. */
async function told(message: string, times: number, change: Change) {
  let trips = 0
  const domain = await populated(async (_, run) => {
    trips += 1
    if (trips <= times) {
      throw new Error(`D1_ERROR: ${message}`)
    }
    await run()
  })
  return { ...domain, outcome: domain.write(change) }
}

const changes: [string, Change][] = [
  ['a create', create('c')],
  ['an update', update('a', { handle: 'X' })],
  ['an addition to a relationship', contributors('add', 'a', ['p02'])],
  ['a replacement', contributors('replace', 'a', ['p02'])],
  ['a removal', contributors('remove', 'a', ['p01'])],
  ['a delete', { kind: 'delete', id: 'a' }],
]

it.each([
  ...changes.map(([what, change]) => [what, taken, change] as const),
  ['a create', dangling, create('c')] as const,
  ['an update', missing, update('a', { handle: 'X' })] as const,
])(
  '%s that fails with "%s" even after its probe found nothing wrong is a fault of the service (contract, section 5)',
  async (_, message, change) => {
    const { outcome } = await told(message, 2, change)
    await expect(outcome).rejects.toMatchObject({ problems: [{ code: 'INTERNAL_SERVER_ERROR' }] })
  },
)

it.each(changes)(
  '%s that is refused by a constraint is done when it is sent again after its probe and the cause is gone',
  async (_, change) => {
    const { outcome, roundTrips } = await told(taken, 1, change)
    expect(await outcome).toMatchObject({ kind: 'done' })
    expect(roundTrips).toHaveLength(2)
  },
)
