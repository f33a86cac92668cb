import { describe, expect, it } from 'vitest'
import { conformity } from '../../http/description/conformity.ts'
import { describeLibrary, json, writes } from './library.ts'

const isbn = '9780140186475'
const author = { type: 'people', id: '1' }
const shelf = { type: 'shelves', id: '1' }

/** The body of an operation: its reference, the schema behind it, and the example. */
function bodyOf(id: string) {
  const { operationOf, resolved } = describeLibrary()
  const { schema = {}, example } = operationOf(id).requestBody?.content[json] ?? {}
  return { $ref: schema.$ref, schema: resolved(schema), example }
}

describe('The bodies of requests in a description', () => {
  it.each(writes.withBody)('have an example that is as described: %s', (id) => {
    const { document, operationOf } = describeLibrary()
    const { required, content } = operationOf(id).requestBody ?? {}
    const { schema = {}, example } = content?.[json] ?? {}

    expect(required).toBe(true)
    expect(() => conformity(document)(schema, example, id)).not.toThrow()
  })

  it.each([
    ['books.create', 'BookCreate'],
    ['books.update', 'BookUpdate'],
    ['books.authors.replaceMany', 'BookAuthorsUpdate'],
    ['books.authors.addMany', 'BookAuthorsUpdate'],
    ['books.authors.removeMany', 'BookAuthorsRemoval'],
    ['books.shelf.replaceOne', 'BookShelfUpdate'],
    ['people.create', 'PeopleCreate'],
  ])('have schemas with names: %s takes a %s', (id, name) => {
    expect(bodyOf(id).$ref).toBe(`#/components/schemas/${name}`)
  })

  it('of a create carry what must be there, and no id but null; of an update the id, and any part', () => {
    const { data } = bodyOf('books.create').schema.properties ?? {}
    const { data: update } = bodyOf('books.update').schema.properties ?? {}

    expect(update?.required).toEqual(['type', 'id'])
    expect(update?.properties?.attributes).not.toHaveProperty('required')
    expect(data?.required).toEqual(['type', 'attributes'])
    expect(Object.keys(data?.properties ?? {})).toEqual(
      'type id lid attributes relationships links meta'.split(' '),
    )
    expect(data?.properties?.type).toEqual({ type: 'string', enum: ['books'] })
    expect(data?.properties?.attributes?.required).toEqual(['title'])
    expect(Object.keys(data?.properties?.relationships?.properties ?? {})).toEqual([
      ...['authors', 'shelf'],
    ])
  })

  it('hold values as they are sent, before they are transformed, and no members but those described', () => {
    const { schema } = bodyOf('books.create')
    const { attributes } = schema.properties?.data?.properties ?? {}

    expect(attributes?.properties?.limit).toEqual({ type: 'string' })
    expect([schema, attributes].map((each) => each?.additionalProperties)).toEqual([false, false])
  })

  it.each([
    ['books.authors.addMany', ['type', 'id', 'meta']],
    ['books.authors.removeMany', ['type', 'id']],
  ])('of %s carry linkage with %j', (id, required) => {
    expect(bodyOf(id).schema.properties?.data?.items?.required).toEqual(required)
  })

  it('of a to-one relationship carry linkage or null', () => {
    expect(bodyOf('books.shelf.replaceOne').schema.properties?.data).toMatchObject({
      nullable: true,
      required: ['type', 'id'],
    })
  })

  it.each([
    [
      'books.create',
      {
        type: 'books',
        attributes: { title: 'Dubliners', pages: 152, print: { size: 'OCTAVO' }, forms: ['PAPER'] },
        relationships: {
          authors: { data: [{ ...author, meta: { part: 'TEXT' } }] },
          shelf: { data: shelf },
        },
      },
    ],
    ['books.update', { type: 'books', id: isbn, attributes: { title: 'Dubliners' } }],
    ['books.authors.addMany', [{ ...author, meta: { part: 'TEXT' } }]],
    ['books.authors.replaceMany', [{ ...author, meta: { part: 'TEXT' } }]],
    ['books.authors.removeMany', [author]],
    ['books.shelf.replaceOne', shelf],
    ['people.create', { type: 'people', attributes: {} }],
  ])('have examples made of those of their parts: %s', (id, data) => {
    expect(bodyOf(id).example).toEqual({ data })
  })
})
