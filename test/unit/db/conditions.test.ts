import { expect, it } from 'vitest'
import type { Edit, Fault } from '../../../src/jsonapi/run/port.ts'
import {
  type Change,
  changesOf,
  contributors,
  create,
  edit,
  populated,
  refused,
  remove,
  removePerson,
  update,
} from './changes.ts'
import { ids, insert, person } from './second-domain/domain.ts'

const quotas = { owned: 2, members: 3 }
const named = (...all: string[]) => all.map((id) => ({ id }))
const unowned = edit(update('a', {}), null)
const expected = edit(update('a', {}), 'ann', { ifMatch: ['1'] })
const written = update('a', {}, { author: named('p01') })
const renamed = update('a', { handle: 'x' })
const givenUp = edit(update('b', { handle: 'x' }), 'bob')
const add = (...people: string[]) => contributors('add', 'a', people)
const only = contributors('update', 'a', ['p04'])
const replaced = contributors('update', 'a', ['p02', 'p03'])
const [absent, foreign]: Fault[] = [{ kind: 'absent' }, { kind: 'foreign' }]
const stale: Fault = { kind: 'stale', condition: 'ifMatch' }
const taken: Fault = { kind: 'taken', attribute: 'handle' }
const full: Fault = { kind: 'full', relationship: 'contributors', max: 3 }
const dangling = (relationship: string, id: string): Fault => {
  return { kind: 'dangling', relationship, id }
}

const bothDangling = ['p99', 'p02'].map((id) => dangling('contributors', id))
const none = contributors('update', 'a', [])
const three = ids('c', 3).map((id) => create(id, { handle: id }))
const gone = [contributors('remove', 'a', ['p01']), removePerson('p02')]

// Ann owns `a`, to which p01 has contributed, and Bob owns `b`.
it.each<[what: string, edits: readonly (Edit | Change)[], at?: number, ...faults: Fault[]]>([
  ['a row that is gone', [remove('a'), update('a', {})], 1, absent as Fault],
  ['a row of somebody else', [unowned, edit(update('a', {}), 'bob')], 1, foreign as Fault],
  ['a revision that it has not', [update('a', {}), expected], 1, stale],
  ['a new row', [create('c'), contributors('remove', 'c', ['p01']), remove('c')]],
  ['a member to be removed that never was', [contributors('remove', 'a', ['p99'])]],
  ['a target that is gone', [removePerson('p01'), written], 1, dangling('author', 'p01')],
  ['targets, gone or unknown', [removePerson('p02'), add('p99', 'p02', 'p03')], 1, ...bothDangling],
  ['a member that has come and gone', [add('p02'), removePerson('p02'), none]],
  ['a value of what is gone', [remove('a'), create('c', { handle: 'handle-a' })]],
  ['a value that another one has given up', [givenUp, create('c', { handle: 'handle-b' })]],
  ['a value of its own', [renamed, update('a', { handle: 'X' })]],
  ['a value that another one has got', [renamed, create('c', { handle: 'X' })], 1, taken],
  ['as many as a person may own', [create('c'), remove('c'), create('d', { handle: 'd' })]],
  ['one more than a person may own', [remove('a'), ...three], 3, { kind: 'full', max: 2 }],
  ['members, of which some have gone', [add('p01', 'p02'), ...gone, add('p03', 'p04', 'p05')]],
  ['members after a replacement of others', [add('p02', 'p03'), only, add('p05', 'p01')]],
  ['members in the place of one that is gone', [removePerson('p01'), add('p02', 'p03', 'p04')]],
  [
    'a member that has gone and comes back',
    [add('p02'), contributors('remove', 'a', ['p02']), add('p03', 'p04'), add('p02')],
    3,
    full,
  ],
  ['one member more than there may be', [add('p02', 'p03'), add('p04')], 1, full],
  ['as many members as there may be after a replacement', [replaced, add('p04')]],
  ['more members than that', [replaced, add('p04', 'p05')], 1, full],
])('An edit is judged by what earlier ones leave: %s', async (_, edits, at, ...faults) => {
  const { d1, writeAll } = await populated(undefined, { quotas })
  await insert(d1, 'people', person('p04'), person('p05'))
  const before = await changesOf(d1)
  const outcome = await writeAll(...edits.map((one) => ('type' in one ? one : edit(one))))
  if (at === undefined) {
    expect(outcome).toMatchObject({ kind: 'done' })
  } else {
    expect(outcome).toEqual({ ...refused(absent as Fault, at), faults })
    expect(await changesOf(d1)).toBe(before)
  }
})

it('A relationship may have more members than a quota that was lowered: nothing comes in, everything else goes', async () => {
  const { d1, write } = await populated(undefined, { quotas })
  const people = ids('q', 5)
  await insert(d1, 'people', ...people.map((id) => person(id)))
  const rows = people.map((id) => ({ article: 'a', person: id, part: 'EDITOR' }))
  await insert(d1, 'contributions', ...rows)
  expect(await write(contributors('add', 'a', ['q01', 'p02']))).toEqual(refused(full))
  expect(await write(contributors('add', 'a', ['q01', 'q05']))).toMatchObject({ kind: 'done' })
  expect(await write(contributors('remove', 'a', ['q01']))).toMatchObject({ kind: 'done' })
  expect(await write(contributors('update', 'a', ids('q', 4)))).toEqual(refused(full))
  expect(await write(contributors('update', 'a', ids('q', 3)))).toMatchObject({ kind: 'done' })
})
