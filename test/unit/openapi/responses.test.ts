import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import { createComponents } from '../../../src/openapi/components.ts'
import { describeHeaders } from '../../../src/openapi/responses.ts'
import { describeLibrary, headers, json } from './library.ts'

const read = '200 304 400 401 403'
const limited = '405 406'
const end = '429 500'

/** The headers of an answer by name: must it have them? */
function headersOf(id: string, status: number): Readonly<Record<string, boolean>> {
  const described = describeLibrary().operationOf(id).responses[status]?.headers ?? {}
  const entries = Object.entries(described).map(([name, one]) => [name, one.required === true])
  return Object.fromEntries(entries)
}

const always = { 'X-Trace': true, 'X-Left': true }

describe('The answers in a description', () => {
  it.each([
    ['books.list', `${read} ${limited} 412 ${end}`],
    ['books.create', `201 400 401 403 404 ${limited} 409 412 415 ${end}`],
    ['books.get', `${read} 404 ${limited} 412 ${end}`],
    ['books.update', `204 400 401 403 404 ${limited} 409 412 415 ${end}`],
    ['books.delete', `202 400 401 403 404 ${limited} 412 ${end}`],
    ['books.authors.readMany', `${read} 404 ${limited} 412 ${end}`],
    ['books.authors.relatedMany', `${read} 404 ${limited} 412 ${end}`],
    ['books.shelf.relatedOne', `${read} 404 ${limited} 412 ${end}`],
    ['books.authors.addMany', `204 400 401 403 404 ${limited} 409 412 415 ${end}`],
    ['books.authors.removeMany', `204 400 401 403 404 ${limited} 412 415 ${end}`],
    ['people.create', `201 400 401 403 ${limited} 409 412 415 ${end}`],
    ['shelves.keeper.replaceOne', `204 400 401 403 404 ${limited} 412 415 ${end}`],
  ])('of %s have the statuses %s', (id, statuses) => {
    expect(Object.keys(describeLibrary().operationOf(id).responses).join(' ')).toBe(statuses)
  })

  it.each([
    ['books.list', 200, 'BookList'],
    ['books.get', 200, 'BookDocument'],
    ['books.create', 201, 'BookDocument'],
    ['books.authors.readMany', 200, 'BookAuthorsDocument'],
    ['books.shelf.readOne', 200, 'BookShelfDocument'],
    ['books.authors.relatedMany', 200, 'BookAuthorsList'],
    ['books.shelf.relatedOne', 200, 'BookShelfItem'],
    ['people.list', 200, 'PeopleList'],
    ['books.update', 204, undefined],
    ['books.delete', 202, undefined],
    ['books.list', 304, undefined],
  ])('have a document where they tell something: %s %i, %s', (id, status, name) => {
    const { content } = describeLibrary().operationOf(id).responses[status] ?? {}

    expect(content).toEqual(
      name && { [json]: { schema: { $ref: `#/components/schemas/${name}` } } },
    )
  })

  it.each([
    ['books.get', 200, { ...always, ETag: true, 'Cache-Control': true, 'X-State': false }],
    [
      'books.create',
      201,
      {
        ...always,
        ETag: true,
        'Cache-Control': true,
        Location: true,
        'Idempotency-Replayed': false,
        'X-State': false,
      },
    ],
    ['books.update', 204, { ...always, ETag: true, 'Cache-Control': true, 'X-State': false }],
    ['books.delete', 202, { ...always, 'Cache-Control': true, 'X-State': false }],
    [
      'people.list',
      200,
      { ...always, ETag: true, 'Cache-Control': true, 'X-State': false, 'Content-Language': false },
    ],
    [
      'operations',
      200,
      { ...always, 'Cache-Control': true, 'Idempotency-Replayed': false, 'X-State': false },
    ],
    ['books.get', 304, { ...always, ETag: true }],
    ['books.get', 400, always],
    ['books.get', 401, { ...always, 'WWW-Authenticate': true }],
    ['books.update', 403, { 'X-Trace': true, 'X-Left': false, 'WWW-Authenticate': false }],
    ['books.list', 403, { 'X-Trace': true }],
    ['books.get', 404, always],
    ['books.get', 405, { 'X-Trace': true, Allow: true }],
    ['books.get', 406, { 'X-Trace': true }],
    ['books.update', 409, always],
    ['books.update', 412, always],
    [
      'books.update',
      415,
      { ...always, 'Accept-Patch': false, 'Accept-Post': false, 'Accept-Encoding': false },
    ],
    ['books.get', 429, { ...always, 'Retry-After': true }],
    ['books.get', 500, { 'X-Trace': true, 'X-Left': false, 'Retry-After': false }],
  ])('of %s with %i carry these headers: %j', (id, status, described) => {
    expect(headersOf(id, status)).toEqual(described)
  })

  it.each([
    ['books.get', 200, 'asked for'],
    ['books.create', 201, 'new resource'],
    ['books.update', 204, 'done'],
    ['books.get', 304, '`If-None-Match`'],
  ])('of %s with %i say in words: %s', (id, status, text) => {
    expect(describeLibrary().operationOf(id).responses[status]?.description).toContain(text)
  })

  it('refer to what several of them share', () => {
    const { paths, components } = describeLibrary().document

    expect(paths['/books'].get.responses[304]).toEqual({
      $ref: '#/components/responses/NotModified',
    })
    expect(paths['/people'].get.responses[200].headers).toMatchObject({
      ETag: { $ref: '#/components/headers/ETag' },
      'Content-Language': { schema: { type: 'string' } },
    })
    expect(Object.keys(components.headers).toSorted()).toEqual([
      ...['Allow', 'Cache-Control', 'ETag', 'Location', 'Retry-After'],
      ...['WWW-Authenticate', 'X-Left', 'X-Trace'],
    ])
  })
})

describe('The described headers', () => {
  it('are those of the protocol and those of the service, with what they hold', () => {
    const components = createComponents()
    const scope = { registry: createRegistry([]), headers, components }
    const possible = ['ETag', 'Retry-After', 'X-Left', 'X-State', 'Content-Language']
    const count = { type: 'integer', minimum: 0 }
    const text = { type: 'string' }

    expect(describeHeaders(scope, [], possible)).toEqual({
      ETag: { description: expect.stringContaining('Names the bytes of the answer'), schema: text },
      'Retry-After': {
        description: expect.stringContaining('The seconds'),
        schema: { ...count, format: 'int64' },
      },
      'X-Left': { description: 'How many are left.', schema: { ...count, format: 'int32' } },
      'X-Trace': { $ref: '#/components/headers/X-Trace' },
      'X-State': { description: 'What was seen.', schema: text },
      'Content-Language': { description: '', schema: text },
    })
    expect(components.used.headers).toEqual({
      'X-Trace': { description: 'Names the request.', schema: text, required: true },
    })
  })
})
