import { getTableName } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { type Condition, conditionsOf } from '../../../src/db/conditions.ts'
import type { Edit } from '../../../src/jsonapi/run/port.ts'
import { type Change, contributors, create, edit, remove, removePerson, update } from './changes.ts'
import { ids } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'

/** The conditions of edits as texts. The number in front is the index of the edit. */
function conditions(...edits: readonly (Edit | Change)[]): string[] {
  const all = edits.map((one) => ('type' in one ? one : edit(one)))
  return [...conditionsOf(registry, { owned: 2, members: 3 }, all)].map(textOf)
}

function textOf(condition: Condition): string {
  const { at, kind } = condition
  if (kind === 'rows') {
    const { type, ids, deleted, owner, ifMatch } = condition
    const rows = `${at} rows ${type} ${ids}${deleted?.length ? ` without ${deleted}` : ''}`
    return `${rows}${owner ? ` of ${owner}` : ''}${ifMatch ? ` at ${ifMatch}` : ''}`
  }
  const { kind: why, ...what } = condition.fault
  const fault = [why, ...Object.values(what)].join(' ')
  if (kind === 'never') {
    return `${at} never: ${fault}`
  }
  const { max, present } = condition
  const [column, value] = condition.holding
  const [id, except] = condition.besides
  const besides = except.length > 0 ? ` besides ${id.name} ${except}` : ''
  const or = present ? ` or all of ${present}` : ''
  return `${at} at most ${max} ${getTableName(column.table)}.${column.name} ${value}${besides}${or}: ${fault}`
}

const linked = (...all: string[]) => all.map((id) => ({ id }))
const owned = '0 rows articles a of ann'

it('The conditions of an edit that removes members ask for no targets, which need not exist', () => {
  expect(conditions(contributors('remove', 'a', ['p01']))).toEqual([owned])
})

describe('The conditions of several edits', () => {
  it('ask once for a row that several edits change, but again for its owner or a revision', () => {
    const change = update('a', {})
    expect(conditions(change, change)).toEqual([owned])
    expect(conditions(edit(change, null), change)).toEqual([
      '0 rows articles a',
      '1 rows articles a of ann',
    ])
    expect(conditions(change, edit(change, 'ann', { ifMatch: ['1'] }))).toEqual([
      owned,
      '1 rows articles a of ann at 1',
    ])
  })

  it('ask nothing about a resource that an earlier edit makes', () => {
    const all = [create('c'), contributors('remove', 'c', ['p01']), remove('c')]
    expect(conditions(...all).map((text) => text.slice(0, 9))).toEqual(['0 at most', '0 at most'])
  })

  it('never hold for a resource that an earlier edit deletes', () => {
    expect(conditions(remove('a'), update('a', {}))).toEqual([owned, '1 never: absent'])
    const author = { author: linked('p01') }
    expect(conditions(removePerson('p01'), update('a', {}, author))).toEqual([
      '0 rows people p01',
      '1 rows articles a of ann',
      '1 rows people p01 without p01',
    ])
  })

  it('compare unique values with what earlier edits leave', () => {
    const all = [remove('a'), update('b', { handle: 'x' }), create('c', { handle: 'handle-b' })]
    expect(conditions(...all)).toContain(
      '2 at most 0 articles.handle_fold handle-b besides article_no c,a,b: taken handle',
    )
    expect(conditions(...all, create('d', { handle: 'X' }))).toContain('3 never: taken handle')
    const again = [update('a', { handle: 'x' }), update('a', { handle: 'X' })]
    expect(conditions(...again)).toHaveLength(3)
  })

  it('count what earlier edits make and delete', () => {
    const all = [remove('a'), ...ids('c', 3).map((id) => create(id, { handle: id }))]
    expect(conditions(...all).filter((text) => text.includes('keeper'))).toEqual([
      '1 at most 1 articles.keeper ann besides article_no a: full 2',
      '2 at most 0 articles.keeper ann besides article_no a: full 2',
      '3 at most -1 articles.keeper ann besides article_no a: full 2',
    ])
  })

  it('count the members that earlier edits name as these leave them', () => {
    const edits = [
      contributors('add', 'a', ['p01', 'p02']),
      contributors('remove', 'a', ['p01']),
      removePerson('p02'),
      contributors('add', 'a', ['p03']),
    ]
    expect(conditions(...edits)).toContain(
      '3 at most 2 contributions.article a besides person p01,p02,p03 or all of p03: full contributors 3',
    )
  })

  it('look at no stored members where an earlier edit has replaced them', () => {
    const replace = contributors('update', 'a', ['p01', 'p02'])
    expect(conditions(replace, contributors('add', 'a', ['p03', 'p04'])).at(-1)).toBe(
      '1 never: full contributors 3',
    )
    expect(conditions(replace, contributors('add', 'a', ['p03']))).toEqual([
      owned,
      '0 rows people p01,p02',
      '1 rows people p03',
    ])
  })
})
