import { gte, sql } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import fc, { type Arbitrary } from 'fast-check'
import * as z from 'zod/mini'
import type * as declaring from '#columns'
import { columnValue, computed, filterBy } from '../../../src/db/stored.ts'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import {
  type AccessRule,
  type Pagination,
  type Relationship,
  type ResourceDefinition,
  type ToMany,
  toMany,
  toOne,
} from '../../../src/jsonapi/declare/resource.ts'
import { digits, flags, time } from '../db/second-domain/folders.ts'

/** How tables are declared on an engine. */
type Declaring = typeof declaring

/** Names of fields and types. */
const fieldName = fc.constantFrom(
  ...'order Select links a_b aB x1 lid meta value size name Group self attributes'.split(' '),
  ...'relationships data ids pageLimit fields'.split(' '),
)
/** Names in SQL: its words, aliases of the store, signs of every kind, and a long one. */
const sqlName = fc.constantFrom(
  ...'order Select main target few member picked one excluded value c0 key É ?1 $1'.split(' '),
  ...[':x', 'x--', 'a.b', ';', '%s', "it's", 'with space', 'n'.repeat(50)],
)
/** The usual value, but once in so many times. */
const rarely = (usual: boolean, times = 10) => fc.nat(times - 1).map((nth) => usual !== (nth === 0))

/** The callers who may see or do something. */
const everybody: readonly AccessRule[] = [[{}], [{}], [{ scopes: ['things.read'] }]]
const access = fc.constantFrom(...everybody)
const ownAccess = fc.constantFrom<AccessRule[]>(
  ...everybody,
  [{ owner: true }],
  [{ scopes: ['things.read'] }, { scopes: ['things.write'], owner: true }],
)
const reading = access.map((rule) => ({ access: rule }))
const writing = ownAccess.map((rule) => ({ access: rule }))

const json = () => z.strictObject({ a: z.optional(z.string()), b: z.optional(z.array(z.int())) })
const anyText = () => z.string()
const short = (most: number, least = 0) => z.string().check(z.minLength(least), z.maxLength(most))

/** The kinds of attributes: their columns, schemas of their values and of filters, and what the server sets. */
const kinds = {
  text: {
    column: 'text',
    schemas: [() => short(40), () => short(200, 1), () => z.enum(['A', 'b', 'é']), anyText],
    filter: anyText,
    value: 'A',
  },
  integer: {
    column: 'integer',
    schemas: [() => z.int(), () => z.int().check(z.minimum(-2), z.maximum(2))],
    filter: digits,
    value: 1,
  },
  boolean: { column: 'boolean', schemas: [() => z.boolean()], filter: flags, value: true },
  timestamp: { column: 'timestamp', schemas: [time], filter: anyText, value: new Date() },
  json: {
    column: 'text',
    schemas: [json, () => z.array(json())],
    filter: anyText,
    value: '{"a":"x"}',
  },
  sealed: { column: 'text', schemas: [() => short(99)], filter: anyText, value: 'x' },
} as const

const attribute = fc.record({
  name: fieldName,
  column: sqlName,
  kind: fc.constantFrom<(keyof typeof kinds)[]>(
    ...(['text', 'text', 'integer', 'boolean', 'timestamp', 'json', 'sealed'] as const),
  ),
  schema: fc.nat(19),
  keyed: rarely(true, 4),
  nullable: fc.boolean(),
  required: fc.boolean(),
  /** May its column have no value, although it always has one? */
  loose: rarely(false),
  readOnly: rarely(false),
  unique: rarely(false, 6),
  sortable: fc.boolean(),
  filter: fc.boolean(),
  access: ownAccess,
})

const relationship = fc.record({
  name: fieldName,
  column: sqlName,
  table: sqlName,
  to: fc.nat(3),
  many: fc.boolean(),
  meta: fc.uniqueArray(fc.tuple(fieldName, sqlName), { maxLength: 3, selector: ([name]) => name }),
  paged: fc.constantFrom<ToMany['pagination'][]>(
    'none',
    { by: 'cursor', size: 1 },
    { by: 'cursor', size: 2, max: 3 },
    { by: 'cursor', size: 3, max: 9 },
  ),
  reflexive: fc.boolean(),
  access,
  reading,
  writing,
  operations: fc.subarray(['read', 'replace', 'add', 'remove']),
})

const type = fc.record({
  name: fieldName,
  table: sqlName,
  id: sqlName,
  owner: sqlName,
  revision: sqlName,
  owned: fc.boolean(),
  revised: rarely(true, 21),
  snapshot: rarely(false, 5),
  counted: fc.boolean(),
  computes: fc.boolean(),
  filters: fc.boolean(),
  spelled: rarely(false, 5),
  filterId: fc.boolean(),
  attributes: fc.oneof(
    { weight: 14, arbitrary: fc.array(attribute, { maxLength: 8 }) },
    { weight: 1, arbitrary: fc.array(attribute, { minLength: 30, maxLength: 40 }) },
  ),
  relationships: fc.array(relationship, { maxLength: 4 }),
  pagination: fc.constantFrom<Pagination>(
    'none',
    { by: 'cursor', size: 2 },
    { by: 'cursor', size: 3, max: 9 },
    { by: 'offset', size: 2, max: 7 },
  ),
  reading,
  writing,
  operations: fc.subarray(['create', 'update', 'delete', 'get']),
})

/** Declarations of one to four types. */
export const plans = fc.array(type, { minLength: 1, maxLength: 4 })

/** What tables and types are made from. */
type Plan = typeof plans extends Arbitrary<infer Value> ? Value : never

/** The names that are taken, without case: another one gets a number. */
function namer() {
  const taken = new Set<string>(['counters', 'idempotency_keys'])
  return (name: string): string => {
    let free = name
    for (let nth = 2; taken.has(free.toLowerCase()); nth++) {
      free = `${name}${nth}`
    }
    taken.add(free.toLowerCase())
    return free
  }
}

/** A rule that asks for owners where there are none is refused, which needs no chance. */
const writingOf = (owned: boolean, rule: { readonly access: AccessRule }) =>
  owned || rule.access.every(({ owner }) => !owner) ? rule : { access: [{}] as const }

/**
 * Makes the tables of a plan, as an engine has them declared, and its types.
 *
 * @returns also `open`: the same types, of which everybody can create resources. Then none is in memory
 */
export function domainOf(
  plan: Plan,
  { table, text, index, uniqueIndex, primaryKey, ...columns }: Declaring,
) {
  const tables: SQLiteTable[] = []
  const ids: SQLiteColumn[] = []
  const [typeName, tableName, indexName] = [namer(), namer(), namer()]
  const types = plan.map(({ name }) => typeName(name))
  const refers = (name: string, target: number, onDelete: 'cascade' | 'set null') =>
    text(name).references(() => ids[target] as AnySQLiteColumn, { onDelete })
  let made = 0
  const newId = () => `n${++made}~`
  const definitions = plan.map((one, at) => {
    const [columnName, nameOf] = [namer(), namer()]
    const isOwned = one.owned && !one.snapshot
    const builders: Record<string, unknown> = {
      id: text(columnName(one.id)).primaryKey(),
      ...(isOwned && { owner: text(columnName(one.owner)).notNull() }),
      revision: text(columnName(one.revision)).notNull().default('0'),
    }
    const attributes = one.attributes.map((each, nth) => {
      const { kind, readOnly } = each
      const { column, value, schemas, filter } = kinds[kind]
      const isPlain = kind !== 'json' && kind !== 'sealed'
      const keyed = each.keyed && kind === 'text'
      const sortable = each.sortable && isPlain && (keyed || kind !== 'text')
      const unique = each.unique && isPlain && !readOnly
      const isHeld = (sortable && kind !== 'text') || (unique && keyed)
      const required = isHeld || each.required
      const nullable = each.nullable && !isHeld
      const mayBeNull = !readOnly && (!required || nullable || kind === 'json')
      const declared = { text, ...columns }[column](columnName(each.column))
      const plain = mayBeNull || (each.loose && !isHeld) ? declared : declared.notNull()
      const name = `attribute${nth}`
      builders[name] = readOnly ? plain.$defaultFn((() => value) as never) : plain
      if (keyed) {
        builders[`${name}Key`] = text(columnName(each.column)).notNull().default('')
      }
      const schema = schemas[each.schema % schemas.length] as () => z.ZodMiniType
      return {
        ...{ ...each, at: name, name: nameOf(each.name), key: keyed ? `${name}Key` : undefined },
        ...{ isPlain, unique, compares: filter },
        declared: {
          schema: nullable ? () => z.nullable(schema()) : schema,
          ...writingOf(isOwned, { access: each.access }),
          ...(readOnly ? { readOnly } : required && { required }),
          ...(sortable && !one.snapshot && { sortable }),
          ...(each.filter && isPlain && { filter }),
        },
      }
    })
    const related = one.relationships.map((each, nth) => {
      const target = each.to % plan.length
      const isKept = one.snapshot && !plan[target]?.snapshot
      const name = nameOf(each.name)
      const found = { ...each, name, target: isKept ? at : target, at: `one${nth}` }
      if (!each.many) {
        builders[found.at] = refers(columnName(each.column), found.target, 'set null')
      }
      return found
    })
    const own = table(tableName(one.table), builders as never, (all) => {
      const named = all as Record<string, never>
      return [
        ...attributes
          .filter(({ unique }) => unique)
          .map(({ at, key }) => uniqueIndex(indexName('unique')).on(named[key ?? at] as never)),
        ...(isOwned ? [index(indexName('owner')).on(named.owner as never)] : []),
      ]
    }) as unknown as SQLiteTable & Record<string, SQLiteColumn>
    ids.push(own.id as SQLiteColumn)
    tables.push(own)
    const relationships = related.map((each): [string, Relationship] => {
      const { target, many, meta, paged, operations, reading, writing, access } = each
      const description = 'Others.'
      const to = types[target] ?? ''
      const allowed = operations
        .filter((name) => name === 'read' || (!one.snapshot && (many || name === 'replace')))
        .map((name) => [
          `${name}${many ? 'Many' : 'One'}`,
          name === 'read' ? reading : writingOf(isOwned, writing),
        ])
      const common = { description, access, operations: Object.fromEntries(allowed) }
      if (!many) {
        return [each.name, toOne(to, { ...common, stored: own[each.at] as SQLiteColumn })]
      }
      const columnName = namer()
      const builders = {
        owner: refers(columnName(each.column), at, 'cascade').notNull(),
        target: refers(columnName(each.column), target, 'cascade').notNull(),
        ...Object.fromEntries(
          meta.map(([name, column]) => [`meta ${name}`, text(columnName(column)).notNull()]),
        ),
      }
      const members = table(tableName(each.table), builders, (all) => [
        primaryKey({ columns: [all.owner, all.target] as never }),
      ])
      tables.push(members)
      const named = members as unknown as Record<string, never>
      const near = () => z.enum(['NEAR', 'FAR'])
      const metaOf = (name: string) => ({ schema: near, stored: named[`meta ${name}`] as never })
      const relationship = toMany(to, {
        ...common,
        stored: { table: members, owner: named.owner as never, target: named.target as never },
        pagination: paged,
        ...(meta.length > 0 && {
          meta: Object.fromEntries(meta.map(([name]) => [name, metaOf(name)])),
        }),
        ...(each.reflexive && { reflexive: false }),
      })
      return [each.name, relationship]
    })
    const declared = attributes.map(
      ({ name, kind, at, key, unique, declared }): [string, object] => {
        const as = kind === 'json' || kind === 'sealed' ? { as: kind } : {}
        const stored = { column: own[at], ...(key && { key: own[key] }), ...(unique && { unique }) }
        return [name, { ...declared, stored: { ...stored, ...as } }]
      },
    )
    const plain = attributes.filter(({ isPlain }) => isPlain).slice(0, 3)
    if (one.computes && plain[0]) {
      const columns = plain.map(({ name, at }) => [name, own[at] as SQLiteColumn] as const)
      const stored = computed(Object.fromEntries(columns), (row) => JSON.stringify(row))
      const { access } = plain[0].declared
      declared.push(['computed', { schema: anyText, stored, readOnly: true, access }])
    }
    const filters = plain.map(({ name, at, compares: schema }) => {
      const stored = filterBy(own, (table, text) => {
        const column = table[at] as SQLiteColumn
        return one.spelled ? sql`${column} >= ${text}` : gte(column, columnValue(column, text))
      })
      return [`${name}.from`, { description: 'From.', schema, ...one.reading, stored }]
    })
    const { id, owner, revision } = own as unknown as Record<'id' | 'owner' | 'revision', never>
    const operations = one.operations
      .filter((name) => name === 'get' || !one.snapshot)
      .map((name) => [name, name === 'get' ? one.reading : writingOf(isOwned, one.writing)])
    const create = { ...writingOf(false, one.writing), newId }
    const definition = {
      type: types[at],
      description: 'Things.',
      stored: {
        ...{ table: own, id, ...(isOwned && { owner }), ...(one.revised && { revision }) },
        ...(one.counted && !one.snapshot && { counter: types[at] }),
      },
      id: { schema: anyText, ...(one.filterId && { filter: true }) },
      attributes: Object.fromEntries(declared),
      relationships: Object.fromEntries(relationships),
      ...(one.filters && !one.snapshot && { filters: Object.fromEntries(filters) }),
      pagination: one.pagination,
      operations: {
        ...{ list: one.reading, ...Object.fromEntries(operations) },
        ...(one.operations.includes('create') && !one.snapshot && { create }),
      },
      cacheControl: 'no-store',
    } as unknown as ResourceDefinition
    const open: ResourceDefinition = {
      ...definition,
      stored: { ...definition.stored, revision },
      operations: { ...definition.operations, create },
    }
    return { closed: { ...definition, ...(one.snapshot && { snapshot: true as const }) }, open }
  })
  const registryOf = (kind: 'closed' | 'open') =>
    createRegistry(definitions.map((one) => one[kind]))
  return { tables, registry: registryOf('closed'), open: registryOf('open') }
}
