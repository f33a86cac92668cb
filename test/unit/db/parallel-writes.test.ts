import { expect, it } from 'vitest'
import {
  type Change,
  contributors,
  create,
  edit,
  kindOf,
  populated,
  remove,
  update,
} from './changes.ts'
import { slow } from './hanging.ts'
import { ids, insert, person } from './second-domain/domain.ts'

it.each<[what: string, count: number, Change | ((nth: number) => Change), outcomes: object]>([
  [
    'additions to one article',
    40,
    (nth) => contributors('add', 'a', [`q${String(nth + 1).padStart(2, '0')}`]),
    { done: 40 },
  ],
  ['renames of one article', 12, (nth) => update('a', { title: `T${nth}` }), { done: 12 }],
  ['deletes of one article', 60, remove('a'), { done: 1, absent: 59 }],
  [
    'creates where there is room for ten',
    40,
    (nth) => create(`c${nth}`, { handle: `h${nth}` }),
    { done: 10, full: 30 },
  ],
])(
  'Writes at the same time: %s end as the contract says, and are sent twice at most',
  async (what, count, of, outcomes) => {
    const quotas = { owned: what.includes('room') ? 11 : 1_000, members: 1_000 }
    const { d1, store } = await populated(slow(20), { quotas })
    await insert(d1, 'people', ...ids('q', 40).map((id) => person(id)))
    const writes = Array.from({ length: count }, async (_, nth) => {
      const session = store.begin({ writes: true })
      const change = typeof of === 'function' ? of(nth) : of
      const outcome = await session.write([edit(change)])
      return { kind: kindOf(outcome), attempts: session.usage.attempts }
    })
    const ended = await Promise.all(writes)
    const kinds = Object.entries(Object.groupBy(ended, ({ kind }) => kind))
    const counts = kinds.map(([kind, all = []]) => [kind, all.length])
    expect(Object.fromEntries(counts)).toEqual(outcomes)
    expect(Math.max(...ended.map(({ attempts }) => attempts))).toBeLessThanOrEqual(2)
  },
)
