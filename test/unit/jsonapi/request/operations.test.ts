import { describe, expect, it } from 'vitest'
import { operationsMember, sentOperations } from '../../../../src/jsonapi/request/operations.ts'
import { told } from '../run/readers.ts'
import { add, article, editor, judge, on, person } from './transactions.ts'

describe('the operations of a transaction (contract, section 13)', () => {
  it.each([
    ['articles.create', add()],
    ['articles.create', { op: 'add', href: '/root/articles', data: article }],
    ['articles.update', { op: 'update', data: { type: 'articles', id: 'a' } }],
    [
      'articles.update',
      { op: 'update', ref: { type: 'articles', id: 'a' }, data: { type: 'articles', id: 'a' } },
    ],
    [
      'articles.update',
      { op: 'update', href: '/root/articles/a', data: { type: 'articles', id: 'a' } },
    ],
    ['articles.delete', { op: 'remove', ref: { type: 'articles', id: 'a' } }],
    ['articles.delete', { op: 'remove', href: '/root/articles/%61', data: 'ignored' }],
    [
      'articles.delete',
      {
        op: 'remove',
        ref: { type: 'articles', id: 'a' },
        data: { relationships: { author: { data: { type: 'people', lid: 'ignored' } } } },
      },
    ],
    ['articles.author.replaceOne', { op: 'update', ref: on('author'), data: null }],
    ['articles.contributors.addMany', { op: 'add', ref: on('contributors'), data: [] }],
    ['articles.contributors.replaceMany', { op: 'update', ref: on('contributors'), data: [] }],
    [
      'articles.contributors.removeMany',
      { op: 'remove', href: '/root/articles/a/relationships/contributors', data: [] },
    ],
  ])('are writes of the service: %s', (name, operation) => {
    const verdict = judge([operation])
    expect(told(verdict)).toEqual([])
    const [one] = verdict.ok ? verdict.value : []
    const { definition, relationship, operation: what, id } = one ?? {}
    expect([definition?.type, relationship, what].filter(Boolean).join('.')).toBe(name)
    expect(id).toMatch(name === 'articles.create' ? /^[\w-]{36}$/ : /^a$/)
  })

  it('know what earlier ones have added by its lid, in each place where an id may stand', () => {
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
    const [first, second, third, ...updates] = verdict.ok ? verdict.value : []
    const author = { type: 'people', id: first?.id }
    expect(first?.id).not.toBe(second?.id)
    expect(second?.payload.relationships).toEqual({ author: [author] })
    expect(third).toMatchObject({
      id: second?.id,
      payload: { relationships: { contributors: [editor({ id: first?.id })] } },
    })
    expect(updates.map(({ id }) => id)).toEqual([second?.id, second?.id])
  })
})

describe('the operations that a body sends, valid or not, by which it is priced (contract, section 10)', () => {
  it.each([
    ['no member', {}],
    ['an object', { [operationsMember]: { 0: add() } }],
    ['null', { [operationsMember]: null }],
  ])('are none where there is no list of them, but %s', (_, body) => {
    expect(sentOperations(body)).toEqual([])
  })

  it('are twenty at most', () => {
    const operations = Array.from({ length: 21 }, (_, index) => index)
    expect(sentOperations({ [operationsMember]: operations })).toEqual(operations.slice(0, 20))
  })
})
