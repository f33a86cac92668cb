import { describe, expect, it } from 'vitest'
import { link, meta, ref, relatedLinks, schemaOf, selfLink, text } from './library.ts'

describe('The resources in a description', () => {
  it('have the members of a resource object (JSON:API 1.1, "Resource Objects")', () => {
    const { properties, ...book } = schemaOf('Book')

    expect(book).toEqual({
      type: 'object',
      required: ['type', 'id', 'links'],
      description: 'What is read.',
    })
    expect(properties).toEqual({
      type: { type: 'string', enum: ['books'] },
      id: { ...text, description: 'ISBN.', example: '9780140186475' },
      attributes: expect.anything(),
      relationships: expect.anything(),
      links: selfLink,
      meta,
    })
  })

  it('have no links where there is no path of theirs, nor relationships where there are none', () => {
    expect(schemaOf('People')).toEqual({
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['people'] },
        id: text,
        attributes: { type: 'object', properties: { name: { ...text, description: '' } } },
        meta,
      },
      required: ['type', 'id'],
      description: 'Who writes.',
    })
  })

  it('have attributes, none of them required, that say who sees them', () => {
    const { properties, ...rest } = schemaOf('Book').properties?.attributes ?? {}

    expect(rest).toEqual({ type: 'object' })
    expect(properties).toEqual({
      limit: { type: 'number', description: '' },
      title: { ...text, description: 'On the cover.', example: 'Dubliners' },
      pages: {
        ...{ type: 'integer', format: 'int64', minimum: 1, example: 152 },
        description: 'Shown to a person with `books.read`.',
      },
      stars: {
        ...{ type: 'integer', format: 'int64', minimum: 0, maximum: 5 },
        description:
          'How good. Shown to a person with `books.read` and `books.stars`, or the owner.',
      },
      print: {
        type: 'object',
        properties: {
          size: { type: 'string', enum: ['OCTAVO', 'QUARTO'] },
          weight: { type: 'number' },
        },
        description:
          '`weight` is shown to the owner with `books.write`, or a person with `books.admin`.',
      },
      forms: {
        type: 'array',
        items: { type: 'string', enum: ['PAPER', 'AUDIO'] },
        description: '',
      },
      remarks: { type: 'array', items: text, description: 'Shown to the owner.' },
    })
  })

  it('have relationships with linkage and links (JSON:API 1.1, "Relationships")', () => {
    const { authors, shelf } = schemaOf('Book').properties?.relationships?.properties ?? {}

    expect(authors).toEqual({
      type: 'object',
      properties: {
        links: {
          type: 'object',
          properties: { self: link, related: link, next: link },
          required: ['self', 'related'],
        },
        data: { type: 'array', items: ref('BookAuthorsIdentifier'), maxItems: 20 },
        meta,
      },
      required: ['links'],
      description: expect.stringMatching(
        /^Who wrote it\. Linkage is shown to a person with `books\.read`\. The first 20 members are shown; `links\.next`/,
      ),
    })
    expect(shelf).toEqual({
      type: 'object',
      properties: { links: relatedLinks, data: ref('BookShelfIdentifier'), meta },
      required: ['links'],
      description: 'Where it stands.',
    })
    // No operation reads the keeper, so that there is no path of related resources.
    expect(schemaOf('Shelf').properties?.relationships?.properties?.keeper).toMatchObject({
      description: 'Who dusts it. Linkage is shown to a person with `books.read`.',
      properties: { links: selfLink },
    })
  })

  it.each([
    ['BookIdentifier', 'books', ['type', 'id'], meta, undefined],
    ['BookShelfIdentifier', 'shelves', ['type', 'id'], meta, true],
    [
      'BookAuthorsIdentifier',
      'people',
      ['type', 'id', 'meta'],
      {
        type: 'object',
        properties: { part: { type: 'string', enum: ['TEXT', 'PICTURES'] } },
        required: ['part'],
      },
      undefined,
    ],
  ])('are linked to by identifiers: %s', (name, type, required, about, nullable) => {
    expect(schemaOf(name)).toEqual({
      type: 'object',
      properties: {
        type: { type: 'string', enum: [type] },
        id: expect.objectContaining(text),
        meta: about,
      },
      required,
      ...(nullable && { nullable }),
    })
  })
})
