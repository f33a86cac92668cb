import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import * as z from 'zod/mini'
import { anyone, defineResource, toMany, toOne } from '../../src/jsonapi/declare/resource.ts'

// Declarations that the compiler must refuse: npm run check compiles them, and a marker without an error is an error itself.

const table = sqliteTable('things', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  size: integer('size').notNull(),
  place: text('place'),
  bytes: blob('bytes'),
})
const name = { schema: () => z.string(), stored: { column: table.name }, access: anyone }
const parts = () =>
  z.nullable(z.array(z.strictObject({ code: z.string(), size: z.optional(z.int()) })))
const rest = {
  type: 'things',
  description: 'Things.',
  stored: { table, id: table.id },
  relationships: {},
  pagination: 'none',
  operations: { list: { access: anyone } },
  cacheControl: 'private',
} as const
const stored = { column: table.place, as: 'json' } as const
const place = { description: 'Where it is.', access: anyone, operations: {} }
const links = { table, owner: table.id, target: table.name }

/** Everything that may be said, said rightly: what is refused below differs from it in the marked line. */
export const right = defineResource({
  ...rest,
  id: { schema: () => z.string(), filter: true },
  attributes: {
    name: { ...name, sortable: true, filter: true },
    size: {
      schema: () => z.int(),
      stored: { column: table.size },
      access: anyone,
      filter: () => z.string(),
    },
    parts: { schema: parts, stored, access: anyone, members: { code: { access: anyone } } },
  },
  relationships: {
    place: toOne('places', { ...place, stored: table.place }),
    others: toMany('things', {
      ...place,
      stored: links,
      pagination: 'none',
      meta: { kind: { schema: () => z.enum(['A', 'B']), stored: table.name } },
    }),
  },
})

/** The wrong ones. */
export const wrong = [
  defineResource({
    ...rest,
    attributes: {
      // @ts-expect-error a flag for sorts by a wrong name
      name: { ...name, sortabel: true },
    },
  }),
  defineResource({
    ...rest,
    // @ts-expect-error a list of sorts beside the attributes
    sorts: ['name'],
    attributes: { name },
  }),
  defineResource({
    ...rest,
    attributes: {
      size: {
        schema: () => z.int(),
        stored: { column: table.size },
        access: anyone,
        // @ts-expect-error a filter without a schema of its own, where the attribute is no text
        filter: true,
      },
    },
  }),
  defineResource({
    ...rest,
    attributes: {
      // @ts-expect-error an attribute that is stored nowhere
      name: { schema: () => z.string(), access: anyone },
    },
  }),
  defineResource({
    ...rest,
    attributes: {
      // @ts-expect-error an attribute that nobody is said to see
      name: { schema: () => z.string(), stored: { column: table.name } },
    },
  }),
  defineResource({
    ...rest,
    attributes: {
      parts: {
        schema: parts,
        stored,
        access: anyone,
        // @ts-expect-error a rule for a member by a wrong name
        members: { cod: { access: anyone } },
      },
    },
  }),
  defineResource({
    ...rest,
    attributes: {
      // @ts-expect-error a form of storage that is none
      name: { ...name, stored: { column: table.name, as: 'jsonb' } },
    },
  }),
  defineResource({
    ...rest,
    attributes: {
      // @ts-expect-error a key column, which would hold the plaintext of a sealed attribute
      name: { ...name, stored: { column: table.name, as: 'sealed', key: table.name } },
    },
  }),
  defineResource({
    ...rest,
    attributes: {
      // @ts-expect-error a column whose values no document holds
      name: { ...name, stored: { column: table.bytes } },
    },
  }),
  defineResource({
    ...rest,
    attributes: {
      // @ts-expect-error a secret in a column of numbers
      name: { ...name, stored: { column: table.size, as: 'sealed' } },
    },
  }),
  defineResource({
    ...rest,
    attributes: { name },
    // @ts-expect-error a status that is no success
    operations: { list: { access: anyone, status: 304 } },
  }),
  // @ts-expect-error a relationship to one that is stored nowhere
  toOne('places', place),
  // @ts-expect-error a relationship to one that is stored as one to many is
  toOne('places', { ...place, stored: links }),
  // @ts-expect-error a relationship to many that is stored as one to one is
  toMany('things', { ...place, pagination: 'none', stored: table.place }),
  toMany('things', {
    ...place,
    pagination: 'none',
    stored: links,
    // @ts-expect-error a member of meta without a column
    meta: { kind: { schema: () => z.enum(['A', 'B']) } },
  }),
  defineResource({
    ...rest,
    attributes: {
      // @ts-expect-error a key column that may be null
      name: { ...name, stored: { column: table.name, key: table.place } },
    },
  }),
  // @ts-expect-error a column of owners that may be null
  defineResource({ ...rest, stored: { ...rest.stored, owner: table.place }, attributes: { name } }),
  // @ts-expect-error members in a column that may be null
  toMany('things', { ...place, pagination: 'none', stored: { ...links, target: table.place } }),
  // @ts-expect-error a create without ids
  defineResource({ ...rest, attributes: { name }, operations: { create: { access: anyone } } }),
  // @ts-expect-error pages without a size
  toMany('things', { ...place, stored: links, pagination: { by: 'cursor' } }),
  // @ts-expect-error pages by offset, without a bound of their size
  defineResource({ ...rest, attributes: { name }, pagination: { by: 'offset', size: 20 } }),
  // @ts-expect-error an operation of the other cardinality
  toOne('places', { ...place, stored: table.place, operations: { addMany: { access: anyone } } }),
]
