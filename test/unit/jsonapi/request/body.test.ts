import { describe, expect, it } from 'vitest'
import type { Operation } from '../../../../src/jsonapi/declare/operation.ts'
import { bodyReader } from '../../../../src/jsonapi/request/body.ts'
import { endpointOf, told, verdictOf } from '../run/readers.ts'
import { editors, people, problemsOf } from './bodies.ts'

const format = 'VALUE_INVALID_FORMAT'

const [person] = people('p1')
/** Somebody who contributes, once more and as something else. */
const reviewer = { ...people('p0')[0], meta: { part: 'REVIEWER' } }

describe('bodies of linkage', () => {
  it.each<[name: string, data: unknown, ...problems: string[]]>([
    ['author.replaceOne', null],
    ['author.replaceOne', [], 'form /data'],
    ['author.replaceOne', { type: 'people' }, 'absent /data'],
    ['author.replaceOne', { ...person, meta: { any: 1 } }],
    ['contributors.replaceMany', editors(100)],
    ['contributors.replaceMany', null, 'absent /data'],
    ['contributors.addMany', [{ ...editors(1)[0], lid: 'l' }, ...editors(2)]],
    ['contributors.addMany', people('p1'), 'absent /data/0'],
    ['contributors.addMany', ['p1', 1], 'form /data/0', 'form /data/1'],
    ['contributors.addMany', editors(101), 'form /data'],
    ['contributors.addMany', [...editors(1), reviewer], 'form /data/1'],
    ['contributors.addMany', [{ ...person, meta: { part: 'EDITOR', more: 1 } }]],
    [
      'contributors.addMany',
      ['EDITOR', 'REVIEWER'].map((part) => ({ type: 'people', meta: { part } })),
      ...['absent /data/0', 'absent /data/1'],
    ],
    // Members can be removed with or without their meta.
    ['contributors.removeMany', [...people('p1', 'p2'), ...editors(1), reviewer]],
    ['contributors.removeMany', people('', 1), 'form /data/0/id', 'form /data/1/id'],
    [
      'contributors.removeMany',
      [{ ...person, meta: { part: 'X', more: 1 } }],
      'choice /data/0/meta/part',
    ],
  ])('%s with %j has the problems %j', (operation, data, ...problems) => {
    expect(problemsOf(`articles.${operation}`, { data })).toEqual(problems)
  })

  it('refuse a resource as its own member where the relationship is declared so', () => {
    const { definition, operation } = endpointOf('people.follows.addMany')
    const { follows } = definition.relationships
    const strict = { ...definition, relationships: { follows: { ...follows, reflexive: false } } }
    const faults = (of: object, operation: Operation, ...ids: string[]) => {
      const read = bodyReader(of as typeof definition, operation, 'follows')
      return told(verdictOf((faults) => read({ data: people(...ids) }, 'p1', faults)))
    }
    expect(faults(strict, operation, 'p2', 'p1')).toEqual([`${format} /data/1/id`])
    // It can be removed, since it was never there.
    expect(faults(strict, 'removeMany', 'p1')).toEqual([])
    expect(faults(definition, operation, 'p1')).toEqual([])
  })
})

describe('bodies follow from the declaration', () => {
  const read = bodyReader(endpointOf('tags.list').definition, 'create', undefined)
  const create = (body: object) => verdictOf((faults) => read(body, undefined, faults))

  it('need no attributes where none is required', () => {
    expect(told(create({ data: { type: 'tags' } }))).toEqual([])
  })

  it('take no relationship that cannot be replaced', () => {
    const body = { data: { type: 'tags', relationships: { neighbours: { data: [] } } } }
    expect(told(create(body))).toEqual([`${format} /data/relationships/neighbours`])
  })
})
