import { describe, expect, it } from 'vitest'
import type { Parameter } from '../../http/description/read-description.ts'
import { describeLibrary } from './library.ts'

/** The parameters of an operation by name. */
function parametersOf(id: string): Readonly<Record<string, Parameter>> {
  const { parameters } = describeLibrary().operationOf(id)
  return Object.fromEntries(parameters.map((one) => [one.name, one]))
}

const list = { in: 'query', style: 'form', explode: false }
const fieldsets = 'fields[books] fields[people] fields[shelves]'

describe('The parameters of a description', () => {
  it.each([
    [
      'books.list',
      `X-State include ${fieldsets} filter[id] filter[limit] filter[title] sort page[cursor] page[limit] page[offset] If-Match If-None-Match`,
    ],
    ['books.create', `X-State ${fieldsets} If-Match Idempotency-Key`],
    ['books.get', `id X-State include ${fieldsets} If-Match If-None-Match`],
    ['books.update', 'id X-State If-Match'],
    [
      'books.authors.readMany',
      `id X-State include ${fieldsets} page[cursor] If-Match If-None-Match`,
    ],
    ['books.authors.addMany', 'id X-State If-Match'],
    ...['books.sequels.readMany', 'books.sequels.relatedMany'].map((id) => [
      id,
      `id X-State include ${fieldsets} filter[id] filter[limit] filter[title] sort If-Match If-None-Match`,
    ]),
    ['books.authors.relatedMany', 'id X-State fields[people] page[cursor] If-Match If-None-Match'],
    [
      'books.shelf.relatedOne',
      'id X-State include fields[shelves] fields[people] If-Match If-None-Match',
    ],
    ['people.list', 'X-State fields[people] page[cursor] If-Match If-None-Match'],
    ['shelves.list', 'X-State include fields[shelves] fields[people] If-Match If-None-Match'],
    ['shelves.keeper.replaceOne', 'id X-State If-Match'],
    ['operations', 'X-State Idempotency-Key'],
  ])('of %s are %s', (id, names) => {
    const { parameters } = describeLibrary().operationOf(id)

    expect(parameters.map(({ name }) => name).toSorted()).toEqual(names.split(' ').toSorted())
  })

  it('are the id and the conditions of an operation, beside those that its path has', () => {
    const { paths } = describeLibrary().document

    expect(paths['/books/{id}'].patch.parameters).toEqual([
      { $ref: '#/components/parameters/BookId' },
      { $ref: '#/components/parameters/If-Match' },
    ])
    expect(paths['/books/{id}'].get.parameters).toHaveLength(7)
    expect(paths['/books/{id}'].parameters).toEqual([{ $ref: '#/components/parameters/X-State' }])
  })

  it('describe once what means the same everywhere, and refer to it', () => {
    const { paths, components } = describeLibrary().document
    const references = paths['/books'].get.parameters.flatMap(
      ({ $ref }: { readonly $ref?: string }) => $ref ?? [],
    )

    expect(Object.keys(components.parameters).toSorted()).toEqual(
      [
        ...['BookId', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'ShelfId', 'X-State'],
        ...['fields.books', 'fields.people', 'fields.shelves'],
        ...['page.cursor', 'page.limit', 'page.offset'],
      ].toSorted(),
    )
    expect(references).toHaveLength(8)
    expect(references).toContain('#/components/parameters/fields.books')
  })

  it.each([
    ['as its filter describes it', 'books.get', 'ISBN.', '9780140186475'],
    ['where no filter does', 'shelves.keeper.replaceOne', 'The id of one of the shelves.', '1'],
  ])('have the id of the path %s, of at most 64 characters', (_, of, description, example) => {
    const schema = { type: 'string', maxLength: 64 }
    const id = { name: 'id', in: 'path', required: true, description, schema, example }
    expect(parametersOf(of).id).toEqual(id)
  })

  it('have an id of a DELETE that no other example needs', () => {
    expect(parametersOf('books.delete').id).toEqual({
      ...parametersOf('books.get').id,
      example: '9780141182803',
    })
  })

  it('have the headers that a request may carry', () => {
    const {
      'If-Match': demand,
      'If-None-Match': condition,
      'X-State': state,
    } = parametersOf('books.get')

    const header = (name: string, description: unknown) => ({
      ...{ name, in: 'header', description, schema: { type: 'string' } },
    })
    expect(demand).toEqual({
      ...header('If-Match', expect.stringContaining('412')),
      example: '*',
    })
    expect(condition).toEqual(header('If-None-Match', expect.stringContaining('304')))
    expect(state).toEqual(header('X-State', 'What was seen.'))
  })

  it('have the key of a request that is safe to send again', () => {
    const { 'Idempotency-Key': key } = parametersOf('books.create')

    expect(key).toEqual({
      name: 'Idempotency-Key',
      in: 'header',
      description: expect.stringMatching(/^Makes the request safe to send again\. .* 409\./),
      schema: { type: 'string', maxLength: 255, pattern: '^[!#-~][!-~]*$' },
    })
  })

  it('have `include` with every path to the depth of three', () => {
    const { include } = parametersOf('shelves.list')

    expect(include).toEqual({
      ...list,
      name: 'include',
      description: expect.stringContaining('`included`'),
      allowEmptyValue: true,
      schema: { type: 'array', maxItems: 10, items: { type: 'string', enum: ['keeper'] } },
      example: ['keeper'],
    })
    expect(parametersOf('books.list').include?.schema.items?.enum).toContain(
      'sequels.sequels.authors',
    )
  })

  it('have the fields of a type, named in the text', () => {
    expect(parametersOf('books.list')['fields[people]']).toEqual({
      ...list,
      name: 'fields[people]',
      description: expect.stringContaining('`people`'),
      allowEmptyValue: true,
      schema: { type: 'array', items: { type: 'string', enum: ['name'] } },
    })
  })

  it('have the filters with what one item of theirs is', () => {
    const { 'filter[id]': id, 'filter[title]': title } = parametersOf('books.list')
    const filter = { ...list, allowEmptyValue: true }
    const description = expect.stringContaining('one of these values')

    expect(id).toEqual({
      ...filter,
      name: 'filter[id]',
      description,
      schema: {
        type: 'array',
        maxItems: 20,
        items: { type: 'string', description: 'ISBN.', example: '9780140186475' },
      },
      example: ['9780140186475'],
    })
    expect(title).toMatchObject({
      ...filter,
      schema: { items: { type: 'string' } },
      example: ['1'],
    })
  })

  it('have a sort in both directions, which may be empty as any list', () => {
    expect(parametersOf('books.list').sort).toEqual({
      ...list,
      name: 'sort',
      description: expect.stringContaining('descending order'),
      allowEmptyValue: true,
      schema: { type: 'array', maxItems: 5, items: { type: 'string', enum: ['title', '-title'] } },
      example: ['title'],
    })
  })

  it('have the pages with their bounds and defaults', () => {
    const {
      'page[limit]': limit,
      'page[offset]': offset,
      'page[cursor]': cursor,
    } = parametersOf('books.list')
    const number = { type: 'integer', format: 'int64' }

    expect(limit).toEqual({
      name: 'page[limit]',
      in: 'query',
      description: expect.stringContaining('on a page'),
      schema: { ...number, minimum: 1, maximum: 100, default: 20 },
      example: 20,
    })
    expect(offset).toEqual({
      name: 'page[offset]',
      in: 'query',
      description: expect.stringContaining('`page[cursor]`'),
      schema: { ...number, minimum: 0, default: 0 },
      example: 0,
    })
    expect(cursor).toEqual({
      name: 'page[cursor]',
      in: 'query',
      description: expect.stringContaining('`meta.pagination.nextCursor`'),
      schema: { type: 'string' },
    })
  })
})
