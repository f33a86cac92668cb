import { describe, expect, it } from 'vitest'
import type { From } from '../../../../src/jsonapi/run/store.ts'
import type { Sent } from '../request/requests.ts'
import { page } from './memory-store.ts'
import { ask } from './reading.ts'

const jsonapi = { version: '1.1' }

describe('related resources (JSON:API 1.1, "Fetching Resources"; contract, section 1)', () => {
  it('to many are the resources themselves, in pages by cursor, with what they include', async () => {
    const { status, document } = await ask('people.follows.relatedMany', {
      id: 'p1',
      query: { include: 'favourite', 'fields[people]': 'nickname' },
      resources: [
        { type: 'people', id: 'p1', links: { follows: ['p2'] } },
        { type: 'people', id: 'p2', attributes: { nickname: 'Q' }, links: { favourite: ['t1'] } },
        { type: 'tags', id: 't1', attributes: { label: 'First', kind: 'plain' } },
      ],
    })
    expect(status).toBe(200)
    expect(document).toMatchObject({
      jsonapi,
      links: { prev: null, next: null, last: null },
      data: [
        {
          type: 'people',
          id: 'p2',
          attributes: { nickname: 'Q' },
          links: { self: '/root/people/p2' },
        },
      ],
      included: [{ type: 'tags', id: 't1', attributes: { label: 'First' } }],
    })
    expect(document.links?.self).toMatch(/^\/root\/people\/p1\/follows\?/)
    expect(document.links).not.toHaveProperty('related')
  })

  it.each([
    ['p1', { type: 'tags', id: 't2', attributes: { label: 'Second', kind: 'plain' } }],
    ['p2', null],
  ])('to one is the resource or null: %s', async (id, data) => {
    const { status, document } = await ask('people.favourite.relatedOne', { id })
    expect(status).toBe(200)
    expect(document).toMatchObject({
      jsonapi,
      links: { self: `/root/people/${id}/favourite` },
      data,
    })
  })

  it('of nobody are an empty page, and of a resource that does not exist a 404', async () => {
    const { document } = await ask('people.follows.relatedMany', { id: 'p2' })
    expect(document.data).toEqual([])
    await expect(ask('people.follows.relatedMany', { id: 'nothing' })).rejects.toMatchObject({
      problems: [
        {
          code: 'NOT_FOUND',
          detail: 'There is no resource of type people with the id "nothing".',
          source: { path: 'id' },
        },
      ],
    })
  })

  it.each<[string, Sent, type: string, From]>([
    [
      'people.follows.relatedMany',
      { id: 'p1', query: { sort: '-born', 'filter[id]': 'p2' } },
      'people',
      {
        ...page,
        of: { type: 'people', id: 'p1', relationship: 'follows' },
        filter: { id: ['p2'] },
        sort: [{ field: 'born', descending: true }],
      },
    ],
    [
      'articles.author.relatedOne',
      { id: 'a1' },
      'people',
      {
        ...page,
        of: { type: 'articles', id: 'a1', relationship: 'author' },
        limit: undefined,
      },
    ],
  ])(
    'of %s with %j are a page of the type that the relationship leads to',
    async (name, sent, type, from) => {
      const { reads } = await ask(name, sent)
      expect(reads).toEqual([expect.objectContaining({ type, from })])
    },
  )
})
