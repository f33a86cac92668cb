import { describe, expect, it } from 'vitest'
import type { Found, ResourceRecord } from '../../../../src/jsonapi/run/store.ts'
import { documentOf } from '../../../support/documents.ts'
import { withNewIds } from '../../../support/new-ids.ts'
import { articles } from '../../db/second-domain/articles.ts'
import { tags } from '../../db/second-domain/tags.ts'
import { people, related, withTitle } from '../request/bodies.ts'
import { person, type Sent } from '../request/requests.ts'
import { send } from './writing.ts'

const author = () => person('articles.write', 'articles.read')

/** An article as its creator reads it back. */
const created: ResourceRecord = {
  type: 'articles',
  id: 'new',
  owned: true,
  attributes: { title: 'T', handle: 'h', section: 's', notes: 'secret' },
  linkage: {
    author: { members: [{ id: 'p1' }], more: false },
    contributors: { members: [], more: false },
    tags: { members: [], more: false },
  },
}

const found: Found = {
  records: [created],
  members: [],
  position: undefined,
  total: undefined,
  related: [],
}

/** Creates an article whose id is `new`. */
async function create(sent: Sent & { readonly body?: object } = {}) {
  const definition = withNewIds(articles, () => 'new')
  return send('articles.create', { definition, outcome: { kind: 'done', found: [found] }, ...sent })
}

describe('a create (JSON:API 1.1, "Creating Resources")', () => {
  it('writes what the body says under a new id, for the caller, and reads it back with it', async () => {
    const body = related({ author: { data: people('p1')[0] } })
    const { writes } = await create({ body })
    expect(writes).toEqual([
      {
        type: 'articles',
        owner: 'ann',
        change: {
          kind: 'create',
          id: 'new',
          attributes: { title: 'T', handle: 'h', section: 's' },
          relationships: { author: people('p1') },
          read: expect.objectContaining({
            type: 'articles',
            from: { kind: 'ids', ids: ['new'] },
            alongside: [],
            viewer: 'ann',
          }),
        },
      },
    ])
  })

  it('answers 201 with the resource as its own path has it, and says where that is', async () => {
    const query = { 'fields[articles]': 'title,author' }
    const { answer } = await create({ body: withTitle({}), principal: author(), query })
    expect(answer).toMatchObject({
      status: 201,
      createdId: 'new',
      cacheControl: 'private, no-cache',
    })
    expect(answer.headers).toEqual([
      ['Link', '</first>; rel="first"'],
      ['Link', '</second>; rel="second"'],
      ['Location', '/root/articles/new'],
    ])
    expect(documentOf(answer.body ?? '')).toEqual({
      jsonapi: { version: '1.1' },
      links: { self: '/root/articles/new' },
      data: {
        type: 'articles',
        id: 'new',
        attributes: { title: 'T' },
        relationships: {
          author: {
            links: {
              self: '/root/articles/new/relationships/author',
              related: '/root/articles/new/author',
            },
            data: { type: 'people', id: 'p1' },
          },
        },
        links: { self: '/root/articles/new' },
      },
    })
  })

  it('is shown by the same rules as a read: no cache keeps a secret (contract, sections 4 and 9)', async () => {
    const { answer } = await create({ principal: author() })
    expect(answer.cacheControl).toBe('private, no-store')
    expect(documentOf(answer.body ?? '').data.attributes.notes).toBe('secret')
    const { answer: other } = await create({ principal: person('articles.write') })
    expect(other.cacheControl).toBe('private, no-cache')
    expect(other.body).not.toContain('secret')
  })

  it('is impossible for a type that makes no ids', async () => {
    await expect(send('articles.create', { definition: tags })).rejects.toThrow('tags')
  })
})
