import { describe, expect, it } from 'vitest'
import { told } from '../run/readers.ts'
import { add, article, editor, judge, on, person } from './transactions.ts'

it('the operations of a transaction know what earlier ones have added by its lid, in each place where an id may stand', () => {
  const verdict = judge([
    add({ ...person, lid: 'p' }),
    add({
      ...article,
      lid: 'p',
      relationships: { author: { data: { type: 'people', lid: 'p' } } },
    }),
    { op: 'add', ref: on('contributors', { lid: 'p' }), data: [editor({ lid: 'p' })] },
    { op: 'update', data: { type: 'articles', lid: 'p' } },
    {
      op: 'update',
      ref: { type: 'articles', lid: 'p' },
      data: { type: 'articles', lid: 'p', relationships: { author: { data: null } } },
    },
  ])
  expect(told(verdict)).toEqual([])
  const [first, second, third, ...updates] = verdict.value ?? []
  const author = { type: 'people', id: first?.id }
  expect(first?.id).not.toBe(second?.id)
  expect(second?.payload.relationships).toMatchObject({ author: [author] })
  expect(third).toMatchObject({
    id: second?.id,
    payload: { relationships: { contributors: [editor({ id: first?.id })] } },
  })
  expect(updates.map(({ id }) => id)).toEqual([second?.id, second?.id])
})

describe('the target of an operation', () => {
  it.each([
    [{ op: 'add' }, '"data" is required.'],
    [
      { op: 'update', data: [] },
      '"data" must be an object where an operation has neither "ref" nor "href".',
    ],
    [{ op: 'remove' }, 'The operation names no target: "ref" or "href" is required here.'],
    [
      { op: 'add', ref: { type: 'articles', id: 'a' }, data: article },
      'A resource that is added has no id yet. Leave out ref, or send the path of its collection in href. To add members, send relationship in ref, too.',
    ],
  ])('is not said to be missing where data may name it: %j', (operation, detail) => {
    expect(judge([operation]).faults.problems).toMatchObject([{ detail }])
  })

  it('may be a path with any of its parts percent-encoded', () => {
    const href = '/root/%61rticles/%61/relation%73hips/%63ontributors'
    const [operation] = judge([{ op: 'add', href, data: [] }]).value ?? []
    expect(operation).toMatchObject({ id: 'a', relationship: 'contributors' })
  })

  it('has a fault at the lid that names it', () => {
    const places = (operation: object) => {
      const verdict = judge([add({ ...article, lid: 'x' }), operation])
      const problem = { code: 'NOT_FOUND', detail: 'None.', source: { path: 'id' } } as const
      expect(told(verdict)).toEqual([])
      return verdict.value?.[1]?.placed?.(problem).source
    }
    const named = { type: 'articles', lid: 'x' }
    expect(places({ op: 'remove', ref: named })).toEqual({
      pointer: '/atomic:operations/1/ref/lid',
    })
    expect(places({ op: 'update', data: named })).toEqual({
      pointer: '/atomic:operations/1/data/lid',
    })
    expect(places({ op: 'remove', href: '/root/articles/a' })).toEqual({
      pointer: '/atomic:operations/1/href',
    })
  })
})
