import * as z from 'zod/mini'
import { type AccessRule, anyone } from '../../../src/jsonapi/declare/access.ts'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import { defineResource, toMany, toOne } from '../../../src/jsonapi/declare/resource.ts'
import { openApi } from '../../../src/openapi/document.ts'
import { readDescription, type SchemaObject } from '../../http/description/read-description.ts'

/** The library is described and never stored. */
const stored = undefined as never

const readers: AccessRule = [{ scopes: ['books.read'] }]
const writers: AccessRule = [{ scopes: ['books.read', 'books.write'] }]
const keepers: AccessRule = [{ scopes: ['books.write'], owner: true }, { scopes: ['books.admin'] }]
const owner: AccessRule = [{ owner: true }]

/** Every kind of attribute, relationship and operation, pages by offset, ids and attributes with examples. */
const books = defineResource({
  type: 'books',
  stored,
  singular: 'book',
  description: 'What is read.',
  id: {
    schema: () =>
      z.string().check(
        z.meta({
          description: 'ISBN.',
          examples: ['9780140186475'],
          expendable: '9780141182803',
        }),
      ),
    filter: true,
  },
  attributes: {
    // This filter is named like a parameter of pages, but is another parameter.
    limit: {
      schema: () => z.pipe(z.pipe(z.string(), z.transform(Number)), z.number()),
      stored,
      access: anyone,
      filter: () => z.string(),
    },
    title: {
      schema: () =>
        z.string().check(z.meta({ description: 'On the cover.', examples: ['Dubliners'] })),
      required: true,
      stored,
      access: anyone,
      sortable: true,
      filter: () => z.string(),
    },
    pages: {
      schema: () => z.nullable(z.int().check(z.minimum(1), z.meta({ examples: [152] }))),
      stored,
      access: readers,
    },
    stars: {
      schema: () => z.int().check(z.minimum(0), z.maximum(5), z.meta({ description: 'How good.' })),
      stored,
      access: [{ scopes: ['books.read', 'books.stars'] }, { owner: true }],
    },
    print: {
      schema: () =>
        z.strictObject({
          size: z.optional(z.enum(['OCTAVO', 'QUARTO'])),
          weight: z.optional(z.number()),
          never: z.optional(z.unknown().check(z.meta({ not: {} }))),
        }),
      stored,
      access: anyone,
      members: { weight: { access: keepers }, size: { access: anyone } },
    },
    forms: { schema: () => z.array(z.enum(['PAPER', 'AUDIO'])), stored, access: anyone },
    remarks: { schema: () => z.array(z.string()), stored, access: owner },
  },
  relationships: {
    authors: toMany('people', {
      description: 'Who wrote it.',
      stored,
      pagination: { by: 'cursor', size: 20 },
      meta: { part: { schema: () => z.enum(['TEXT', 'PICTURES']), stored } },
      access: readers,
      operations: {
        readMany: { access: readers },
        replaceMany: { access: keepers },
        addMany: { access: keepers },
        removeMany: { access: owner },
      },
    }),
    shelf: toOne('shelves', {
      description: 'Where it stands.',
      stored,
      access: anyone,
      operations: { readOne: { access: anyone }, replaceOne: { access: keepers } },
    }),
    sequels: toMany('books', {
      description: 'What follows.',
      stored,
      pagination: 'none',
      access: anyone,
      operations: { readMany: { access: anyone } },
    }),
  },
  pagination: { by: 'offset', size: 20, max: 100 },
  operations: {
    list: { access: anyone },
    create: { access: writers, newId: () => '1' },
    get: { access: anyone },
    update: { access: keepers },
    delete: { access: keepers, status: 202 },
  },
  cacheControl: 'private',
})

/** A small type: no singular, no filter, no operation to read one, no relationships; anyone may create. */
const people = defineResource({
  type: 'people',
  stored,
  description: 'Who writes.',
  attributes: { name: { schema: () => z.string(), stored, access: anyone } },
  relationships: {},
  pagination: { by: 'cursor', size: 20 },
  operations: {
    list: { access: anyone, headers: [['Content-Language', 'en']] },
    create: { access: anyone, newId: () => '1' },
  },
  cacheControl: 'public',
})

/** A type that reaches one other, and is not paged. */
const shelves = defineResource({
  type: 'shelves',
  stored,
  singular: 'shelf',
  description: 'Where books stand.',
  attributes: { label: { schema: () => z.string(), stored, access: anyone } },
  relationships: {
    keeper: toOne('people', {
      description: 'Who dusts it.',
      stored,
      access: readers,
      operations: { replaceOne: { access: anyone } },
    }),
  },
  pagination: 'none',
  operations: { list: { access: anyone } },
  cacheControl: 'public',
})

/** What the layers around the protocol are said to add. */
export const headers = {
  always: { 'X-Trace': 'Names the request.' },
  limit: { 'X-Left': 'How many are left.' },
  session: { 'X-State': 'What was seen.' },
}

/** What the library says of itself. */
export const about = {
  title: 'Library',
  version: '2.1.0',
  description: 'Books and who wrote them.',
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  scopes: { 'books.read': 'Read.', 'books.write': 'Write.' },
}

let whole: ReturnType<typeof readDescription> | undefined

/** The description of a library: made once for all tests, which only read it. */
export function describeLibrary(): ReturnType<typeof readDescription> {
  const registry = createRegistry([books, people, shelves])
  const addresses = { server: 'https://library.example/v2', authUrl: 'https://login.example' }
  whole ??= readDescription(openApi(registry, about, { ...addresses, headers }))
  return whole
}

/** The media type of every body (JSON:API 1.1, "Content Negotiation"). */
export const json = 'application/vnd.api+json'

/** The operations of the library that take a body, and those that take none. */
export const writes = {
  withBody: [
    'books.create',
    'books.update',
    'books.authors.replaceMany',
    'books.authors.addMany',
    'books.authors.removeMany',
    'books.shelf.replaceOne',
    'people.create',
    'shelves.keeper.replaceOne',
  ],
  withoutBody: [
    'books.list',
    'books.get',
    'books.delete',
    'books.authors.readMany',
    'books.shelf.readOne',
    'books.sequels.readMany',
    'books.authors.relatedMany',
    'books.shelf.relatedOne',
    'books.sequels.relatedMany',
    'people.list',
    'shelves.list',
  ],
} as const

/** Any text. */
export const text = { type: 'string' }
/** Any members (JSON:API 1.1, "Meta Information"). */
export const meta = { type: 'object', additionalProperties: true }
/** A link (JSON:API 1.1, "Links"). */
export const link = { type: 'string', format: 'uri-reference' }
/** Links with `self` alone. */
export const selfLink = { type: 'object', properties: { self: link }, required: ['self'] }

/** Links of a relationship: to itself, and to the resources that it leads to. */
export const relatedLinks = {
  type: 'object',
  properties: { self: link, related: link },
  required: ['self', 'related'],
}

/** The reference to a schema. */
export function ref(name: string) {
  return { $ref: `#/components/schemas/${name}` }
}

/** A schema of the library's description. */
export function schemaOf(name: string): SchemaObject {
  return describeLibrary().document.components.schemas[name]
}
