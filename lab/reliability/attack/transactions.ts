import { unique } from '../../../test/fuzz/values.ts'
import { groups, idOf, named, standing } from './world.ts'

/** An operation of a transaction, by its place in it. */
type Act = (index: number) => object

/** Members that an operation names. */
const several = 5

const relatives = (index: number): object[] =>
  Array.from({ length: several }, (_, nth) => ({
    type: 'users',
    id: idOf(groups.pool.from + 1_000 + ((index * several + nth) % 900)),
    meta: { relationshipType: 'SON' },
  }))

const made = (email: string, more: object = {}): object => ({
  op: 'add',
  data: { type: 'users', attributes: { fullName: 'A', email }, ...more },
})

/** What can be done to a user that there is, perhaps. */
const changes: readonly ((id: string) => Act)[] = [
  ...['add', 'update', 'remove'].map((op) => (id: string) => (index: number) => ({
    op,
    ref: { type: 'users', id, relationship: 'relatives' },
    data: relatives(index),
  })),
  (id) => () => ({ op: 'update', data: { type: 'users', id, attributes: { fullName: 'A' } } }),
  (id) => () => ({ op: 'remove', ref: { type: 'users', id } }),
]

/** What an operation does: each of the writes, to each user. The last ones surely fail. */
const acts: readonly Act[] = [
  (index) => made(`${index}.${unique}@example.com`, { lid: `l${index}` }),
  (index) =>
    made(`${index}.${unique}@example.com`, {
      relationships: { relatives: { data: relatives(index) } },
    }),
  () => made(`same.${unique}@example.com`),
  () => ({ op: 'none', x: 1, y: 2, z: 3 }),
  () => ({ op: 'remove', ref: { type: 'users', lid: 'nobody' } }),
  ...[standing, named, 'nobody'].flatMap((id) => changes.map((change) => change(id))),
]

/**
 * Bodies of transactions: every act followed by one that surely fails, and by itself; then of two operations, and of as many as are
 * allowed, of any two acts in turn.
 */
export const pairsOfOperations: readonly string[] = [
  ...acts.toReversed().flatMap((act) => [bodyOf(2, act, acts.at(-1) ?? act), bodyOf(1, act, act)]),
  ...[20, 2].flatMap((count) =>
    acts
      .toReversed()
      .flatMap((second) => acts.toReversed().map((first) => bodyOf(count, first, second))),
  ),
]

function bodyOf(count: number, first: Act, second: Act): string {
  const operations = Array.from({ length: count }, (_, index) =>
    (index % 2 === 0 ? first : second)(index),
  )
  return JSON.stringify({ 'atomic:operations': operations })
}
