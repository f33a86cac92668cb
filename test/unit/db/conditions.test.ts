import { describe, expect, it } from 'vitest'
import { type Condition, conditionsOf } from '../../../src/db/conditions.ts'
import type { Change, Edit } from '../../../src/jsonapi/run/store.ts'
import { contributors, create, edit, update } from './changes.ts'
import { ids } from './second-domain/domain.ts'
import { registry } from './second-domain/registry.ts'

const quotas = { owned: 2, members: 3 }

/** The conditions of edits without the index of their edit where there is one edit. */
function conditions(...edits: readonly Edit[]): readonly Omit<Condition, 'at'>[] {
  const all = conditionsOf(registry, quotas, edits)
  return edits.length > 1 ? all : all.map(({ at: _, ...condition }) => condition)
}

const remove = (id: string): Change => ({ kind: 'delete', id })
const removePerson = (id: string): Edit => ({ ...edit(remove(id), null), type: 'people' })
const row = { kind: 'row', type: 'articles', id: 'a', owner: 'ann' }
const linked = (...all: string[]) => all.map((id) => ({ id }))

describe('The conditions of one edit', () => {
  it('are the row, its owner and its revision', () => {
    const change = update('a', { title: 'T' })
    expect(conditions(edit(change))).toEqual([{ ...row, expected: undefined }])
    expect(conditions(edit(change, null))).toMatchObject([{ ...row, owner: null }])
    expect(conditions(edit(change, 'ann', { expected: ['1'] }))).toMatchObject([
      { ...row, expected: ['1'] },
    ])
  })

  it('come in the order of the refusals: row, targets, unique values, quotas', () => {
    const change = update('a', { handle: 'H' }, { author: linked('p01'), tags: linked('t01') })
    expect(conditions(edit(change)).map(({ kind }) => kind)).toEqual([
      'row',
      'targets',
      'targets',
      'unique',
    ])
    expect(
      conditions(edit(create('c', {}, { tags: linked('t01') }))).map(({ kind }) => kind),
    ).toEqual(['targets', 'unique', 'owned'])
  })

  it('compare a unique value in its folded form, with all other rows', () => {
    expect(conditions(edit(update('a', { handle: 'HaNdLe' })))).toContainEqual({
      kind: 'unique',
      type: 'articles',
      attribute: 'handle',
      value: 'handle',
      except: ['a'],
      isTaken: false,
    })
  })

  it('count the members besides those that are added', () => {
    expect(conditions(edit(contributors('add', 'a', ['p01', 'p02'])))).toContainEqual({
      kind: 'members',
      type: 'articles',
      id: 'a',
      relationship: 'contributors',
      named: ['p01', 'p02'],
      added: ['p01', 'p02'],
      max: 1,
    })
  })

  it('ask for no targets where members are removed, which need not exist', () => {
    expect(conditions(edit(contributors('remove', 'a', ['p01'])))).toMatchObject([row])
  })

  it('bound the members that lead to a resource only where the edit says so', () => {
    expect(conditions(edit({ ...remove('a'), maxLinks: 9 } as Change))).toMatchObject([
      row,
      { kind: 'links', id: 'a', max: 9 },
    ])
    expect(conditions(edit(remove('a')))).toMatchObject([row])
  })

  it('never hold for a replacement beyond the quota', () => {
    expect(conditions(edit(contributors('replace', 'a', ids('p', 4))))).toContainEqual({
      kind: 'never',
      refusal: { at: 0, kind: 'full', relationship: 'contributors', most: 3 },
    })
  })
})

describe('The conditions of several edits', () => {
  it('ask once for a row that several edits change', () => {
    const edits = [edit(update('a', { title: 'T' })), edit(contributors('remove', 'a', ['p01']))]
    expect(conditions(...edits)).toEqual([{ at: 0, ...row, expected: undefined }])
  })

  it('ask nothing about a resource that an earlier edit makes', () => {
    const edits = [
      edit(create('c', { handle: 'c' })),
      edit(contributors('remove', 'c', ['p01'])),
      edit(remove('c')),
    ]
    expect(conditions(...edits).map(({ kind }) => kind)).toEqual(['unique', 'owned'])
  })

  it('never hold for a resource that an earlier edit deletes', () => {
    expect(conditions(edit(remove('a')), edit(update('a', {})))).toContainEqual({
      at: 1,
      kind: 'never',
      refusal: { at: 1, kind: 'absent' },
    })
    expect(
      conditions(removePerson('p01'), edit(update('a', {}, { author: linked('p01') }))),
    ).toContainEqual({
      at: 1,
      kind: 'targets',
      relationship: 'author',
      target: 'people',
      ids: ['p01'],
      gone: ['p01'],
    })
  })

  it('never hold for a revision that an earlier edit replaces', () => {
    const first = edit(update('a', {}), 'ann', { revision: 'r1' })
    const then = (revision: string) => edit(update('a', {}), 'ann', { expected: [revision] })
    expect(conditions(first, then('r1'))).toHaveLength(1)
    expect(conditions(first, then('r0'))).toContainEqual({
      at: 1,
      kind: 'never',
      refusal: { at: 1, kind: 'stale' },
    })
  })

  it('let a unique value go with the resource that had it, and keep it for the one that takes it', () => {
    expect(conditions(edit(remove('a')), edit(update('b', { handle: 'x' })))).toContainEqual(
      expect.objectContaining({ kind: 'unique', except: ['b', 'a'], isTaken: false }),
    )
    const twice = [edit(update('a', { handle: 'x' })), edit(update('b', { handle: 'X' }))]
    expect(conditions(...twice)).toContainEqual(
      expect.objectContaining({ at: 1, kind: 'unique', isTaken: true }),
    )
  })

  it('count the resources that earlier edits make and delete against the quota of a person', () => {
    const edits = [edit(remove('a')), edit(create('c', { handle: 'c' })), edit(create('d'))]
    const owned = (at: number, max: number) => ({
      at,
      kind: 'owned',
      type: 'articles',
      owner: 'ann',
      except: ['a'],
      max,
    })
    expect(conditions(...edits)).toEqual(expect.arrayContaining([owned(1, 1), owned(2, 0)]))
    expect(conditions(...edits, edit(create('e', { handle: 'e' })))).toContainEqual({
      at: 3,
      kind: 'never',
      refusal: { at: 3, kind: 'full', most: 2 },
    })
  })

  it('count the members that earlier edits name as these leave them', () => {
    const edits = [
      edit(contributors('add', 'a', ['p01', 'p02'])),
      edit(contributors('remove', 'a', ['p01'])),
      removePerson('p02'),
      edit(contributors('add', 'a', ['p03'])),
    ]
    expect(conditions(...edits)).toContainEqual({
      at: 3,
      kind: 'members',
      type: 'articles',
      id: 'a',
      relationship: 'contributors',
      named: ['p01', 'p02', 'p03'],
      added: ['p03'],
      max: 2,
    })
  })

  it('look at no stored members where an earlier edit has replaced them', () => {
    const replace = edit(contributors('replace', 'a', ['p01', 'p02']))
    const last = conditions(replace, edit(contributors('add', 'a', ['p03', 'p04']))).at(-1)
    expect(last).toMatchObject({ kind: 'never', refusal: { kind: 'full', at: 1 } })
    const add = conditions(replace, edit(contributors('add', 'a', ['p03'])))
    expect(add.map(({ kind }) => kind)).toEqual(['row', 'targets', 'targets'])
  })
})
