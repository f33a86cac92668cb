import { describe, expect, it } from 'vitest'
import {
  describeLibrary,
  link,
  meta,
  ref,
  relatedLinks,
  schemaOf,
  selfLink,
  text,
} from './library.ts'

const nextCursor = { ...text, description: expect.stringContaining('`page[cursor]`') }
const totalItems = {
  type: 'integer',
  format: 'int64',
  minimum: 0,
  description: expect.stringContaining('number of resources'),
}

describe('The documents in a description', () => {
  it('are components with names made of those of types and relationships', () => {
    expect(Object.keys(describeLibrary().document.components.schemas).toSorted()).toEqual(
      [
        ...['JsonApi', 'PageLinks', 'ErrorObject', 'ErrorDocument'],
        ...['Transaction', 'OperationData', 'TransactionResults'],
        ...['Book', 'BookList', 'BookDocument', 'BookCreate', 'BookUpdate'],
        ...['BookAuthorsIdentifier', 'BookAuthorsDocument', 'BookAuthorsUpdate'],
        ...['BookAuthorsRemoval', 'BookShelfIdentifier', 'BookShelfDocument'],
        ...['BookShelfUpdate', 'BookIdentifier', 'BookSequelsDocument'],
        ...[
          'BookAuthorsList',
          'BookShelfItem',
          'BookSequelsList',
          'ShelfOrNull',
          'RelationshipPageLinks',
        ],
        ...['People', 'PeopleList', 'PeopleDocument', 'PeopleCreate'],
        ...['Shelf', 'ShelfList', 'ShelfKeeperIdentifier', 'ShelfKeeperUpdate'],
      ].toSorted(),
    )
  })

  it('say which version of JSON:API they follow (JSON:API 1.1, "JSON:API Object")', () => {
    const uris = { type: 'array', items: { type: 'string', format: 'uri' } }

    expect(schemaOf('JsonApi')).toEqual({
      type: 'object',
      properties: { version: { ...text, example: '1.1' }, ext: uris, profile: uris, meta },
      description: expect.stringContaining('JSON:API'),
    })
  })

  it('hold a page of resources, with all types that can come along', () => {
    const { included, ...rest } = schemaOf('BookList').properties ?? {}

    expect(schemaOf('BookList').required).toEqual(['jsonapi', 'links', 'data'])
    expect(rest).toEqual({
      jsonapi: ref('JsonApi'),
      links: ref('PageLinks'),
      data: { type: 'array', items: ref('Book'), maxItems: 100 },
      meta: {
        type: 'object',
        properties: {
          pagination: { type: 'object', properties: { totalItems, nextCursor } },
          'pagination.totalItems': totalItems,
          'pagination.nextCursor': nextCursor,
        },
      },
    })
    expect(included).toEqual({
      type: 'array',
      description: expect.stringContaining('`include`'),
      items: {
        oneOf: expect.arrayContaining([ref('Book'), ref('People'), ref('Shelf')]),
        discriminator: {
          propertyName: 'type',
          mapping: {
            books: '#/components/schemas/Book',
            people: '#/components/schemas/People',
            shelves: '#/components/schemas/Shelf',
          },
        },
      },
    })
    expect(included?.items?.oneOf).toHaveLength(3)
  })

  it('hold a page by cursor, which counts nothing; without relationships nothing comes along', () => {
    expect(schemaOf('PeopleList')).toEqual({
      type: 'object',
      properties: {
        jsonapi: ref('JsonApi'),
        links: ref('PageLinks'),
        data: { type: 'array', items: ref('People'), maxItems: 20 },
        meta: {
          type: 'object',
          properties: {
            pagination: { type: 'object', properties: { nextCursor } },
            'pagination.nextCursor': nextCursor,
          },
        },
      },
      required: ['jsonapi', 'links', 'data'],
    })
  })

  it('hold a whole collection where it is not paged; with one type to come along there is no choice', () => {
    expect(schemaOf('ShelfList').properties).toEqual({
      jsonapi: ref('JsonApi'),
      links: selfLink,
      data: { type: 'array', items: ref('Shelf') },
      included: expect.objectContaining({ type: 'array', items: ref('People') }),
      meta,
    })
  })

  it.each([
    ['BookDocument', ref('Book'), selfLink],
    ['PeopleDocument', ref('People'), selfLink],
    ['BookShelfDocument', ref('BookShelfIdentifier'), relatedLinks],
    ['BookSequelsDocument', { type: 'array', items: ref('BookIdentifier') }, relatedLinks],
    ['BookShelfItem', ref('ShelfOrNull'), selfLink],
    ['BookSequelsList', { type: 'array', items: ref('Book') }, selfLink],
    ['BookAuthorsList', { type: 'array', items: ref('People'), maxItems: 20 }, ref('PageLinks')],
    [
      'BookAuthorsDocument',
      { type: 'array', items: ref('BookAuthorsIdentifier'), maxItems: 20 },
      ref('RelationshipPageLinks'),
    ],
  ])('hold what the operation is about: %s', (name, data, links) => {
    expect(schemaOf(name).properties).toMatchObject({ data, links })
    expect(schemaOf(name).properties?.data).toEqual(data)
  })

  it.each([
    ['BookAuthorsDocument', ref('People')],
    ['BookAuthorsList', undefined],
    ['BookShelfItem', ref('People')],
    ['BookShelfDocument', { oneOf: [ref('Shelf'), ref('People')] }],
    ['PeopleDocument', undefined],
  ])('bring along what the relationship of the path leads to: %s', (name, items) => {
    const { included } = schemaOf(name).properties ?? {}

    expect(included && { items: included.items }).toEqual(
      items && { items: expect.objectContaining(items) },
    )
  })

  it('hold a resource or null where a to-one relationship leads to it', () => {
    expect(schemaOf('ShelfOrNull')).toEqual({ ...schemaOf('Shelf'), nullable: true })
  })

  it('lead from the members of a relationship to other pages, and to the resources', () => {
    const { properties, required } = schemaOf('RelationshipPageLinks')
    expect(properties).toEqual({ ...schemaOf('PageLinks').properties, related: link })
    expect(required).toContain('related')
  })

  it('lead to other pages, or say that there is none', () => {
    const other = { ...link, nullable: true }

    expect(schemaOf('PageLinks')).toEqual({
      type: 'object',
      properties: { self: link, first: link, prev: other, next: other, last: other },
      required: ['self', 'first', 'prev', 'next', 'last'],
      description: expect.stringContaining('null'),
    })
  })
})
