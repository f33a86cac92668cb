import { describe, expect, it } from 'vitest'
import { general } from '../../../src/openapi/document.ts'
import { about, describeLibrary, writes } from './library.ts'

const both = [{ Client_Credentials: [] }, { Authorization_Code_With_PKCE: [] }]
const person = (...scopes: readonly string[]) => ({ Authorization_Code_With_PKCE: scopes })

describe('The description of a service (OpenAPI 3.0.1, "OpenAPI Object")', () => {
  it('says what the service says of itself, and what holds for every operation', () => {
    const { openapi, info, servers, tags } = describeLibrary().document
    const { scopes: _, description, ...rest } = about

    expect(openapi).toBe('3.0.1')
    expect(info).toEqual({ ...rest, description: `${description}\n\n${general}` })
    expect(servers).toEqual([{ url: 'https://library.example/v2' }])
    expect(tags).toEqual([
      { name: 'books', description: 'What is read.' },
      { name: 'people', description: 'Who writes.' },
      { name: 'shelves', description: 'Where books stand.' },
      { name: 'operations', description: expect.stringContaining('one transaction') },
    ])
  })

  it('has the two schemes of security with their addresses and scopes', () => {
    const tokenUrl = 'https://login.example/token'
    const authorizationUrl = 'https://login.example/authorize'

    expect(describeLibrary().document.components.securitySchemes).toEqual({
      Authorization_Code_With_PKCE: {
        type: 'oauth2',
        description: expect.stringContaining('S256'),
        flows: { authorizationCode: { authorizationUrl, tokenUrl, scopes: about.scopes } },
      },
      Client_Credentials: {
        type: 'oauth2',
        description: expect.stringContaining('not about a person'),
        flows: { clientCredentials: { tokenUrl, scopes: {} } },
      },
    })
  })

  it('has the components that are referred to, and every reference leads to one', () => {
    const { document, resolved } = describeLibrary()
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)]
    const names = new Set(references.map(([, name = '']) => name))
    const { securitySchemes: _, ...sections } = document.components
    const described = Object.entries<object>(sections).flatMap(([section, named]) =>
      Object.keys(named).map((name) => `#/components/${section}/${name}`),
    )

    expect(described.toSorted()).toEqual([...names].toSorted())
    for (const $ref of names) {
      expect(Object.keys(resolved<object>({ $ref })), $ref).not.toEqual([])
    }
  })
})

describe('The operations of a description', () => {
  it('are those of the declarations, each on its path', () => {
    const { operations } = describeLibrary()

    expect(operations.map((one) => `${one.operationId}: ${one.method} ${one.path}`)).toEqual([
      'listBooks: GET /books',
      'createBook: POST /books',
      'getBook: GET /books/{id}',
      'updateBook: PATCH /books/{id}',
      'deleteBook: DELETE /books/{id}',
      'getBookAuthorsRelationship: GET /books/{id}/relationships/authors',
      'replaceBookAuthors: PATCH /books/{id}/relationships/authors',
      'addBookAuthors: POST /books/{id}/relationships/authors',
      'removeBookAuthors: DELETE /books/{id}/relationships/authors',
      'getBookAuthors: GET /books/{id}/authors',
      'getBookShelfRelationship: GET /books/{id}/relationships/shelf',
      'replaceBookShelf: PATCH /books/{id}/relationships/shelf',
      'getBookShelf: GET /books/{id}/shelf',
      'getBookSequelsRelationship: GET /books/{id}/relationships/sequels',
      'getBookSequels: GET /books/{id}/sequels',
      'listPeople: GET /people',
      'createPeople: POST /people',
      'listShelves: GET /shelves',
      'replaceShelfKeeper: PATCH /shelves/{id}/relationships/keeper',
      'sendOperations: POST /operations',
    ])
  })

  it.each([
    ['books.list', 'books', both],
    ['people.create', 'people', both],
    ['books.create', 'books', [person('books.read', 'books.write')]],
    ['books.update', 'books', [person('books.write'), person('books.admin')]],
    ['books.authors.removeMany', 'books', [person()]],
    ['shelves.keeper.replaceOne', 'shelves', both],
  ])('of %s: the tag is %s, the tokens are %j', (id, tag, security) => {
    expect(describeLibrary().operationOf(id)).toMatchObject({ tags: [tag], security })
  })

  it.each([
    ['books.list', 'List books'],
    ['books.create', 'Create one book'],
    ['books.get', 'Read one book'],
    ['books.update', 'Change one book'],
    ['books.delete', 'Delete one book'],
    ['books.authors.readMany', 'List authors of one book'],
    ['books.authors.replaceMany', 'Replace authors of one book'],
    ['books.authors.addMany', 'Add authors to one book'],
    ['books.authors.removeMany', 'Remove authors from one book'],
    ['books.shelf.readOne', 'Read shelf of one book'],
    ['books.shelf.replaceOne', 'Replace shelf of one book'],
    ['books.authors.relatedMany', 'List the authors of one book as resources'],
    ['books.shelf.relatedOne', 'Read the shelf of one book as a resource'],
    ['people.create', 'Create one people'],
    ['shelves.keeper.replaceOne', 'Replace keeper of one shelf'],
  ])('have a line that says what they do: %s, %s', (id, summary) => {
    expect(describeLibrary().operationOf(id).summary).toBe(summary)
  })

  it.each([
    ['books.list', 3, ['page[offset]'], 'any valid access token'],
    ['people.list', 3, ['links.next'], 'any valid access token'],
    ['shelves.list', 2, [], 'any valid access token'],
    ['books.get', 2, ['Reads one book'], 'any valid access token'],
    ['books.create', 2, [], 'a person with `books.read` and `books.write`'],
    ['books.update', 2, [], 'the owner with `books.write`, or a person with `books.admin`'],
    ['books.authors.readMany', 4, ['Who wrote it.', 'links.next'], 'a person with `books.read`'],
    ['books.sequels.readMany', 3, ['What follows.'], 'any valid access token'],
    ['books.authors.removeMany', 3, ['Who wrote it.'], 'the owner'],
    ['books.authors.relatedMany', 4, ['Pages of 20'], 'a person with `books.read`'],
    ['books.shelf.relatedOne', 3, ['null where there is none'], 'any valid access token'],
  ])(
    'say in paragraphs what to know of them: %s, in %i, with %j, for %s',
    (id, count, said, callers) => {
      const paragraphs = describeLibrary().operationOf(id).description.split('\n\n')

      expect(paragraphs).toHaveLength(count)
      expect(paragraphs.every((text) => text !== '')).toBe(true)
      expect(paragraphs.at(-1)).toBe(`Callers: ${callers}.`)
      for (const text of said) {
        expect(paragraphs.join()).toContain(text)
      }
    },
  )

  it('take a body where they write, except for a delete', () => {
    const acceptsBody = (name: string) =>
      describeLibrary().operationOf(name).requestBody !== undefined

    expect(describeLibrary().operations).toHaveLength(
      writes.withBody.length + writes.withoutBody.length + 1,
    )
    expect(writes.withBody.filter(acceptsBody)).toEqual(writes.withBody)
    expect(writes.withoutBody.filter(acceptsBody)).toEqual([])
  })
})
