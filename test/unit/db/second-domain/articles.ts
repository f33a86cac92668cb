import * as z from 'zod/mini'
import {
  type AccessRule,
  anyone,
  defineResource,
  toMany,
  toOne,
} from '../../../../src/jsonapi/declare/resource.ts'
import { articleTags, contributions, articles as table } from './tables.ts'

const readers: AccessRule = [{ scopes: ['articles.read'] }]
const keeper: AccessRule = [{ scopes: ['articles.read'], owner: true }]
/** The keeper may, and so may whoever keeps everything in order. */
const kept: { readonly access: AccessRule } = {
  access: [{ scopes: ['articles.write'], owner: true }, { scopes: ['articles.admin'] }],
}
const open = { access: anyone }

const layout = () =>
  z.strictObject({
    columns: z.optional(z.int()),
    budget: z.optional(z.string()),
    blocks: z.optional(
      z.array(z.strictObject({ kind: z.enum(['TEXT', 'IMAGE']), body: z.optional(z.string()) })),
    ),
  })

const text = () => z.string().check(z.minLength(1), z.maxLength(60))

/** Articles: owned, paged by limit and offset or cursor, with every kind of attribute and relationship. */
export const articles = defineResource({
  type: 'articles',
  description: 'What is written.',
  stored: {
    table,
    id: table.id,
    owner: table.keeper,
    revision: table.edition,
    counter: 'articles',
  },
  id: { schema: () => z.string(), filter: true },
  attributes: {
    title: {
      schema: text,
      stored: { column: table.title, key: table.titleFold },
      ...{ required: true, ...open, sortable: true },
    },
    // Not open to everybody, since a sort and a filter reveal the values that they compare.
    handle: {
      schema: text,
      stored: { column: table.handle, key: table.handleFold, unique: true },
      ...{ required: true, access: readers, sortable: true },
      filter: () => z.string().check(z.toLowerCase()),
    },
    section: {
      schema: text,
      stored: { column: table.section, key: table.sectionFold },
      ...{ required: true, ...open, sortable: true, filter: true },
    },
    words: { schema: () => z.nullable(z.int()), stored: { column: table.words }, ...open },
    layout: {
      schema: () => z.nullable(layout()),
      stored: { column: table.layout, as: 'json' },
      ...open,
      members: { budget: { access: keeper } },
    },
    notes: {
      schema: () => z.nullable(z.string().check(z.regex(/^[a-z ]+$/, 'must be small letters'))),
      stored: { column: table.notes, as: 'sealed' },
      ...{ access: keeper, sensitive: true },
    },
  },
  relationships: {
    author: toOne('people', {
      description: 'Who wrote the article.',
      stored: table.author,
      ...open,
      operations: { readOne: open, replaceOne: kept },
    }),
    contributors: toMany('people', {
      description: 'Who else took part.',
      stored: {
        table: contributions,
        owner: contributions.article,
        target: contributions.person,
      },
      pagination: { by: 'cursor', size: 20 },
      meta: { part: { schema: () => z.enum(['EDITOR', 'REVIEWER']), stored: contributions.part } },
      access: readers,
      operations: {
        ...{ readMany: { access: readers }, replaceMany: kept, addMany: kept, removeMany: kept },
      },
    }),
    tags: toMany('tags', {
      description: 'What the article is found by.',
      stored: { table: articleTags, owner: articleTags.article, target: articleTags.tag },
      pagination: 'none',
      ...open,
      operations: { readMany: open, replaceMany: kept },
    }),
  },
  pagination: { by: 'offset', size: 20, max: 100 },
  operations: {
    list: open,
    create: {
      access: [{ scopes: ['articles.write'] }],
      newId: () => crypto.randomUUID(),
      headers: [
        ['Link', '</first>; rel="first"'],
        ['Link', '</second>; rel="second"'],
      ],
    },
    ...{ get: open, update: kept, delete: { ...kept, status: 202 as const } },
  },
  cacheControl: 'private, no-cache',
})
