import { describe, expect, it } from 'vitest'
import { anyone, type Principal } from '../../../../src/jsonapi/declare/access.ts'
import { people as definition } from '../../db/second-domain/people.ts'
import { people, update } from '../request/bodies.ts'
import { client, person } from '../request/requests.ts'
import { send } from './writing.ts'

const writer = () => person('articles.write')
const [editor] = people('p1').map((one) => ({ ...one, meta: { part: 'EDITOR' } }))

describe('what the store is asked to make true (contract, section 1)', () => {
  it.each<[name: string, body: object | undefined, change: object]>([
    [
      'articles.update',
      update({
        attributes: { title: 'New' },
        relationships: { tags: { data: [{ type: 'tags', id: 't1' }] } },
      }),
      {
        kind: 'update',
        attributes: { title: 'New' },
        relationships: { tags: [{ type: 'tags', id: 't1' }] },
      },
    ],
    ['articles.delete', undefined, { kind: 'delete' }],
    [
      'articles.author.replaceOne',
      { data: { type: 'people', id: 'p1' } },
      { kind: 'update', attributes: {}, relationships: { author: people('p1') } },
    ],
    [
      'articles.author.replaceOne',
      { data: null },
      { kind: 'update', attributes: {}, relationships: { author: [] } },
    ],
    [
      'articles.contributors.replaceMany',
      { data: [] },
      { kind: 'replace', relationship: 'contributors', members: [] },
    ],
    [
      'articles.contributors.addMany',
      { data: [editor] },
      { kind: 'add', relationship: 'contributors', members: [editor] },
    ],
    [
      'articles.contributors.removeMany',
      { data: people('p1', 'p2') },
      { kind: 'remove', relationship: 'contributors', members: people('p1', 'p2') },
    ],
  ])('follows from %s with %j', async (name, body, change) => {
    const { writes } = await send(name, { id: 'a1', body })
    expect(writes).toEqual([{ type: 'articles', change: { id: 'a1', ...change }, owner: 'ann' }])
  })
})

describe('whose resource it must be (contract, section 2)', () => {
  it.each<[who: string, name: string, Principal, owner: string | null]>([
    ['the caller who may write their own', 'articles.update', writer(), 'ann'],
    ['anyone, for who may write any', 'articles.update', person('articles.admin'), null],
    [
      'anyone, for who may do both',
      'articles.delete',
      person('articles.write', 'articles.admin'),
      null,
    ],
    [
      'the caller, for a client is never let in for its scopes',
      'articles.update',
      client('articles.admin'),
      'ann',
    ],
    [
      'anyone, as the rule of a relationship says',
      'people.favourite.replaceOne',
      person('people.write'),
      null,
    ],
    [
      'the caller, as the rule of a relationship says',
      'articles.author.replaceOne',
      writer(),
      'ann',
    ],
  ])('follows from the rule: %s at %s', async (_, name, principal, owner) => {
    const { writes } = await send(name, { id: 'a1', principal })
    expect(writes).toEqual([expect.objectContaining({ owner })])
  })
})

describe('the answer to a write that is done', () => {
  it.each([
    ['articles.update', 204],
    ['articles.delete', 202],
    ['people.delete', 204],
    ['people.favourite.replaceOne', 204],
    ['people.follows.addMany', 202],
    ['people.follows.removeMany', 204],
  ])('to %s is %d without a body (contract, section 1)', async (name, status) => {
    const { answer } = await send(name, { id: 'a1' })
    expect(answer).toMatchObject({ status, headers: [], cacheControl: 'private, no-cache' })
    expect(answer).not.toHaveProperty('body')
  })

  it('has the headers of the rule', async () => {
    const headers = [['Link', '</a>']] as const
    const { answer } = await send('people.delete', {
      id: 'p1',
      definition: { ...definition, operations: { delete: { access: anyone, headers } } },
    })
    expect(answer.headers).toEqual(headers)
  })
})
