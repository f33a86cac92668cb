import { gte } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import * as z from 'zod/mini'
import { boolean, index, integer, primaryKey, table, text, timestamp, uniqueIndex } from '#columns'
import { computed, filterBy } from '../../../../src/db/stored.ts'
import {
  type AccessRule,
  anyone,
  defineResource,
  toMany,
  toOne,
} from '../../../../src/jsonapi/declare/resource.ts'
import { refers } from './tables.ts'

const mine: AccessRule = [{ scopes: ['things.read'], owner: true }]
const privates = Array.from({ length: 30 }, (_, nth) => `private${nth}`)
/** Times that a column can hold. */
export const time = () =>
  z.iso
    .datetime({ precision: 3 })
    .check(z.refine((text) => !text.startsWith('0000'), 'must be in the year 1 or later'))
const anyTime = () => z.iso.datetime({ offset: true })
const whole = () => z.int()
const flag = () => z.boolean()
/** What a filter by a boolean takes, and one by a whole number. */
export const flags = () => z.enum(['true', 'false'])
const maybeText = () => z.nullable(z.string())
export const digits = () => z.string().check(z.regex(/^-?\d+$/))

/** Folders, whose names are those of SQL, have capitals, spaces and quotes, and are the aliases of the store. */
export const folderTable = table(
  'target',
  {
    id: text('primary key').primaryKey(),
    owner: text('Group').notNull(),
    revision: text('where').notNull().default('0'),
    name: text("Select 'name'").notNull(),
    nameKey: text("name's key").notNull(),
    order: integer('order').notNull(),
    size: integer('Size').notNull(),
    begun: timestamp('table').notNull(),
    closed: boolean('c0').notNull(),
    note: text('few'),
    noteKey: text('one').notNull().default(''),
    label: text('check').$defaultFn(() => '{"colour":"red"}'),
    due: timestamp('default').notNull(),
    parent: text('references').references((): AnySQLiteColumn => folderTable.id, {
      onDelete: 'set null',
    }),
    buddy: text('Buddy').references((): AnySQLiteColumn => folderTable.id, {
      onDelete: 'set null',
    }),
    ...Object.fromEntries(privates.map((name) => [name, text(`from ${name}`)])),
  },
  (table) => [uniqueIndex('unique').on(table.begun), index('index').on(table.owner)],
)

/** Which folders are peers of which. */
export const peerTable = table(
  'main',
  {
    folder: refers('few', () => folderTable.id),
    peer: refers('member', () => folderTable.id),
    kind: text('relationshipType').notNull(),
    order: text('order').notNull(),
  },
  (table) => [primaryKey({ columns: [table.folder, table.peer] })],
)

/** How many folders there are: ids are in the order of creation. */
let made = 100

const { name, nameKey, order, size, begun, closed, due, note, noteKey, label } = folderTable
const columns = folderTable as unknown as Record<string, typeof folderTable.name>
const open = { access: anyone }
const required = { required: true, ...open } as const
const compared = { ...required, sortable: true } as const
const self = {
  stored: folderTable.parent,
  operations: { readOne: open, replaceOne: open },
  ...open,
}

/** A filter that takes any text. */
const from = (condition: Parameters<typeof filterBy<typeof folderTable>>[1]) => ({
  ...{ description: 'Those from here on.', schema: () => z.string(), ...open },
  stored: filterBy(folderTable, condition),
})

/** Folders: with columns of every kind, five keys to sort by, thirty attributes of the owner, and filters of their own. */
export const folders = defineResource({
  type: 'folders',
  description: 'Folders.',
  stored: {
    table: folderTable,
    id: folderTable.id,
    owner: folderTable.owner,
    revision: folderTable.revision,
  },
  id: { schema: () => z.string(), filter: true },
  attributes: {
    name: {
      schema: () => z.string().check(z.maxLength(40)),
      stored: { column: name, key: nameKey },
      ...compared,
      filter: true,
    },
    order: { schema: whole, stored: { column: order }, ...compared, filter: digits },
    size: { schema: whole, stored: { column: size }, ...compared, filter: digits },
    begun: { schema: time, stored: { column: begun, unique: true }, ...required, filter: anyTime },
    closed: { schema: flag, stored: { column: closed }, ...compared, filter: flags },
    due: { schema: time, stored: { column: due }, ...compared },
    note: {
      schema: maybeText,
      stored: { column: note, key: noteKey },
      ...open,
      filter: () => z.string(),
    },
    label: {
      schema: () => z.nullable(z.strictObject({ colour: z.string() })),
      stored: { column: label, as: 'json' },
      ...{ readOnly: true as const, ...open },
    },
    state: {
      schema: () => z.enum(['DONE', 'OPEN']),
      stored: computed({ closed, begun }, (row) =>
        row.closed && row.begun < new Date('2026-01-01') ? 'DONE' : 'OPEN',
      ),
      ...{ readOnly: true as const, ...open },
    },
    ...Object.fromEntries(
      privates.map((name) => [
        name,
        {
          schema: maybeText,
          stored: { column: columns[name] as typeof folderTable.name },
          access: mine,
        },
      ]),
    ),
  },
  relationships: {
    parent: toOne('folders', { ...self, description: 'The folder that it is in.' }),
    buddy: toOne('folders', {
      ...self,
      description: 'The folder beside it.',
      stored: folderTable.buddy,
    }),
    peers: toMany('folders', {
      description: 'Folders that are like it.',
      stored: { table: peerTable, owner: peerTable.folder, target: peerTable.peer },
      pagination: { by: 'cursor', size: 2, max: 9 },
      meta: {
        kind: { schema: () => z.enum(['NEAR', 'FAR']), stored: peerTable.kind },
        order: { schema: () => z.string(), stored: peerTable.order },
      },
      ...open,
      operations: { readMany: open, replaceMany: open, addMany: open, removeMany: open },
    }),
  },
  filters: {
    'order.from': from(({ order }, text) => gte(order, Number(text))),
    'begun.from': from(({ begun }, text) => gte(begun, new Date(text))),
  },
  pagination: { by: 'cursor', size: 2, max: 100 },
  operations: {
    ...{ list: open, get: open, update: open, delete: open },
    create: { ...open, newId: () => `f${++made}` },
  },
  cacheControl: 'private, no-cache',
})
