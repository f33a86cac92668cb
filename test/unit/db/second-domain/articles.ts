import * as z from 'zod/mini'
import type { TableSource } from '../../../../src/db/source.ts'
import { type AccessRule, anyone } from '../../../../src/jsonapi/access.ts'
import { defineResource } from '../../../../src/jsonapi/resource.ts'
import { articleTags, contributions, articles as table } from './tables.ts'

const readers: AccessRule = [{ scopes: ['articles.read'] }]
const keeper: AccessRule = [{ scopes: ['articles.read'], owner: true }]
/** The keeper may, and so may whoever keeps everything in order. */
const keeperOrAdmin: AccessRule = [
  { scopes: ['articles.write'], owner: true },
  { scopes: ['articles.admin'] },
]

const layout = z.strictObject({
  columns: z.optional(z.int()),
  budget: z.optional(z.string()),
  blocks: z.optional(
    z.array(z.strictObject({ kind: z.enum(['TEXT', 'IMAGE']), body: z.optional(z.string()) })),
  ),
})

const text = z.string().check(z.minLength(1), z.maxLength(60))

/** Articles: owned, paged by limit and offset or cursor, with every kind of attribute and relationship. */
export const articles = defineResource({
  type: 'articles',
  description: 'What is written.',
  attributes: {
    title: { schema: text, required: true, access: anyone },
    handle: { schema: text, required: true, access: readers },
    section: { schema: text, required: true, access: anyone },
    words: { schema: z.nullable(z.int()), access: anyone },
    layout: { schema: z.nullable(layout), access: anyone, memberAccess: { budget: keeper } },
    notes: {
      schema: z.nullable(z.string().check(z.regex(/^[a-z ]+$/, 'is not small letters'))),
      access: keeper,
      sensitive: true,
    },
  },
  relationships: {
    author: {
      description: 'Who wrote the article.',
      target: 'people',
      cardinality: 'one',
      access: anyone,
      operations: { readOne: { access: anyone }, replaceOne: { access: keeperOrAdmin } },
    },
    contributors: {
      description: 'Who else took part.',
      target: 'people',
      cardinality: 'many',
      pagination: 'cursor',
      meta: { part: z.enum(['EDITOR', 'REVIEWER']) },
      access: readers,
      operations: {
        readMany: { access: readers },
        replaceMany: { access: keeperOrAdmin },
        addMany: { access: keeperOrAdmin },
        removeMany: { access: keeperOrAdmin },
      },
    },
    tags: {
      description: 'What the article is found by.',
      target: 'tags',
      cardinality: 'many',
      pagination: 'none',
      access: anyone,
      operations: { readMany: { access: anyone }, replaceMany: { access: keeperOrAdmin } },
    },
  },
  filters: {
    id: z.string(),
    section: z.string().check(z.toLowerCase()),
    // Not for everybody: a filter tells of the values that it finds.
    handle: z.string().check(z.toLowerCase()),
  },
  sorts: ['title', 'handle', 'section'],
  pagination: 'offset',
  operations: {
    list: { access: anyone },
    create: {
      access: [{ scopes: ['articles.write'] }],
      headers: [
        ['Link', '</first>; rel="first"'],
        ['Link', '</second>; rel="second"'],
      ],
    },
    get: { access: anyone },
    update: { access: keeperOrAdmin },
    delete: { access: keeperOrAdmin, status: 202 },
  },
  cacheControl: 'private, no-cache',
  newId: () => crypto.randomUUID(),
  source: {
    table,
    id: table.id,
    owner: table.keeper,
    attributes: {
      title: { column: table.title, key: table.titleFold },
      handle: { column: table.handle, key: table.handleFold, unique: true },
      section: { column: table.section, key: table.sectionFold },
      words: { column: table.words },
      layout: { column: table.layout, codec: 'json' },
      notes: { column: table.notes, codec: 'sealed' },
    },
    relationships: {
      author: { column: table.author },
      contributors: {
        table: contributions,
        owner: contributions.article,
        target: contributions.person,
        meta: { part: contributions.part },
      },
      tags: { table: articleTags, owner: articleTags.article, target: articleTags.tag },
    },
    counter: 'articles',
  } satisfies TableSource,
})
