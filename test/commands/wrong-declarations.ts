import { blob, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import * as z from 'zod/mini'
import {
  type Attribute,
  anyone,
  defineResource,
  toMany,
  toOne,
} from '../../src/jsonapi/declare/resource.ts'
import type { Schema } from '../../src/jsonapi/zod.ts'

// Declarations that the compiler must refuse by types that are not plain: npm run check compiles them, and a marker without an error
// is an error itself.

const table = sqliteTable('things', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  size: integer('size').notNull(),
  place: text('place'),
  bytes: blob('bytes'),
})
const name = { schema: () => z.string(), stored: { column: table.name }, access: anyone }
const size = { schema: () => z.int(), stored: { column: table.size }, access: anyone }
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

/** An attribute, which defineResource checks like this. */
const attribute = <Of extends Schema>(declared: Attribute<Of>) => declared

/** The wrong ones. */
export const wrong = [
  defineResource({
    ...rest,
    attributes: {
      // @ts-expect-error an attribute that nobody is said to see
      name: { schema: () => z.string(), stored: { column: table.name } },
    },
  }),
  // @ts-expect-error a filter without a schema of its own, where the attribute is no text
  attribute({ ...size, filter: true }),
  // @ts-expect-error a rule for a member by a wrong name
  attribute({ schema: parts, stored, access: anyone, members: { cod: { access: anyone } } }),
  // @ts-expect-error a key column, which would hold the plaintext of a sealed attribute
  attribute({ ...name, stored: { column: table.name, as: 'sealed', key: table.name } }),
  // @ts-expect-error a column whose values no document holds
  attribute({ ...name, stored: { column: table.bytes } }),
  // @ts-expect-error a secret in a column of numbers
  attribute({ ...name, stored: { column: table.size, as: 'sealed' } }),
  // @ts-expect-error a key column that may be null
  attribute({ ...name, stored: { column: table.name, key: table.place } }),
  // @ts-expect-error a column of owners that may be null
  defineResource({ ...rest, stored: { ...rest.stored, owner: table.place }, attributes: { name } }),
  // @ts-expect-error pages by offset, without a bound of their size
  defineResource({ ...rest, attributes: { name }, pagination: { by: 'offset', size: 20 } }),
  // @ts-expect-error a relationship to one that is stored as one to many is
  toOne('places', { ...place, stored: links }),
  // @ts-expect-error a relationship to many that is stored as one to one is
  toMany('things', { ...place, pagination: 'none', stored: table.place }),
  // @ts-expect-error members in a column that may be null
  toMany('things', { ...place, pagination: 'none', stored: { ...links, target: table.place } }),
]
