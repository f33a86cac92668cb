import { describe, expect, it } from 'vitest'
import { FaultList } from '../../../../src/jsonapi/errors.ts'
import { maxIdLength } from '../../../../src/jsonapi/request/body.ts'
import { LocalIds } from '../../../../src/jsonapi/request/lids.ts'
import { told } from '../run/readers.ts'

describe('a lid (contract, section 13)', () => {
  it('stands for the id of what an earlier operation has added, by its type', () => {
    const lids = new LocalIds()
    expect(lids.name('people', 'x', 'p1')).toBe(true)
    expect(lids.name('articles', 'x', 'a1')).toBe(true)
    expect(lids.name('people', 'x', 'p2')).toBe(false)
    expect(lids.idOf('articles', 'x', '/data')).toBe('a1')
    expect(lids.idOf('tags', 'x', '/data')).toBeUndefined()
  })

  it('is what the client calls a resource whose id it has not chosen', () => {
    const lids = new LocalIds()
    lids.name('people', 'x', 'p1')
    expect(lids.nameOf('p1')).toEqual({ member: 'lid', value: 'x' })
    expect(lids.nameOf('p2')).toEqual({ member: 'id', value: 'p2' })
  })

  it('is not looked at beside an id, known or not', () => {
    const lids = new LocalIds()
    lids.name('people', 'x', 'p1')
    const faults = new FaultList()
    for (const lid of ['x', 'y']) {
      const item = { type: 'people', id: 'p2', lid }
      expect(lids.identified(item, '/data', faults)).toEqual(item)
    }
    expect(faults.problems).toEqual([])
  })

  it('that is unknown is one fault: its id passes as valid and differs for each identifier, however long the pointer is', () => {
    const faults = new FaultList()
    const data = ['x', 'y'].map((lid) => ({ type: 'people', lid }))
    const at = `/data/relationships/${'r'.repeat(maxIdLength)}/data`
    const resolved = new LocalIds().resolve(data, undefined, at, faults) as {
      readonly id: string
    }[]
    const ids = new Set(resolved.map(({ id }) => id))
    expect(ids.size).toBe(2)
    for (const id of ids) {
      expect(id.length).toBeLessThanOrEqual(maxIdLength)
    }
    expect(told(faults)).toEqual([0, 1].map((index) => `VALUE_INVALID_FORMAT ${at}/${index}/lid`))
  })

  it.each([
    ['a text', 'x'],
    ['null', null],
    ['an object without relationships', { type: 'people' }],
    ['relationships that are no object', { relationships: [{ data: { lid: 'x' } }] }],
    ['a relationship that is no object', { relationships: { author: 'x', tags: null } }],
    [
      'a relationship that there is not',
      { relationships: { x: { data: { type: 'people', lid: 'x' } } } },
    ],
    ['a lid that is no text', { relationships: { author: { data: { type: 'people', lid: 7 } } } }],
  ])('is not looked for in what is no resource object: %s stays as it is', (_, data) => {
    const faults = new FaultList()
    expect(new LocalIds().resolve(data, ['author', 'tags'], '/data', faults)).toEqual(data)
    expect(faults.problems).toEqual([])
  })
})
