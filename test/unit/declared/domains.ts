import { gte, sql } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import fc, { type Arbitrary } from 'fast-check'
import * as z from 'zod/mini'
import type * as declaring from '#columns'
import { columnValue, computed, filterBy } from '../../../src/db/stored.ts'
import { createRegistry } from '../../../src/jsonapi/declare/registry.ts'
import {
  type AccessRule,
  type Attribute,
  type Pagination,
  type Relationship,
  type ResourceDefinition,
  type ToMany,
  toMany,
  toOne,
} from '../../../src/jsonapi/declare/resource.ts'
import type { Schema } from '../../../src/jsonapi/zod.ts'

/** How tables are declared on an engine. */
type Declaring = typeof declaring

/** Names of fields and types. Few of them are refused. */
const fieldName = fc.constantFrom(
  ...'order Select links a_b aB x1 lid meta value size name Group self attributes'.split(' '),
  ...'relationships data ids pageLimit fields'.split(' '),
)
/** Names in SQL: its words, aliases of the store, signs of every kind, and a long one. */
const sqlName = fc.constantFrom(
  ...'order Select main target few member picked one excluded value c0 key É ?1 $1'.split(' '),
  ...[':x', 'x--', 'a.b', ';', '%s', "it's", 'with space', 'n'.repeat(50)],
)
const rarely = (most: Arbitrary<boolean> | boolean, weight = 9) =>
  fc.oneof(
    { weight, arbitrary: fc.constant(most as boolean) },
    { weight: 1, arbitrary: fc.constant(!most) },
  )

/** The callers who may see or do something. */
const access = fc.constantFrom<AccessRule[]>([{}], [{}], [{ scopes: ['things.read'] }])
const ownAccess = fc.oneof(
  { weight: 2, arbitrary: access },
  {
    weight: 1,
    arbitrary: fc.constantFrom<AccessRule[]>(
      [{ owner: true }],
      [{ scopes: ['things.read'] }, { scopes: ['things.write'], owner: true }],
    ),
  },
)
const reading = access.map((rule) => ({ access: rule }))
const writing = ownAccess.map((rule) => ({ access: rule }))

const time = () =>
  z.iso
    .datetime({ precision: 3 })
    .check(z.refine((text) => !text.startsWith('0000'), 'must be in the year 1 or later'))
const json = () => z.strictObject({ a: z.optional(z.string()), b: z.optional(z.array(z.int())) })

interface Kind {
  readonly column: 'text' | 'integer' | 'boolean' | 'timestamp'
  /** Schemas of its values. The last one is refused where the column is compared, or always. */
  readonly schemas: readonly (() => Schema)[]
  readonly filter: () => Schema<string, string>
  /** What the server sets. */
  readonly value: unknown
}

const anyText = () => z.string()
const short = (most: number, least = 0) => z.string().check(z.minLength(least), z.maxLength(most))

/** The kinds of attributes. */
const kinds = {
  text: {
    column: 'text',
    schemas: [() => short(40), () => short(200, 1), () => z.enum(['A', 'b', 'é']), anyText],
    filter: anyText,
    value: 'A',
  },
  integer: {
    column: 'integer',
    schemas: [() => z.int(), () => z.int().check(z.minimum(-2), z.maximum(2)), () => z.number()],
    filter: () => z.string().check(z.regex(/^-?\d+$/)),
    value: 1,
  },
  boolean: {
    column: 'boolean',
    schemas: [() => z.boolean()],
    filter: () => z.enum(['true', 'false']),
    value: true,
  },
  timestamp: {
    column: 'timestamp',
    schemas: [time, time, () => z.iso.datetime({ precision: 3 })],
    filter: anyText,
    value: new Date(),
  },
  json: {
    column: 'text',
    schemas: [json, () => z.array(json())],
    filter: anyText,
    value: '{"a":"x"}',
  },
  sealed: { column: 'text', schemas: [() => short(99)], filter: anyText, value: 'x' },
} as const satisfies Record<string, Kind>

type KindName = keyof typeof kinds

const attribute = fc
  .constantFrom<KindName[]>('text', 'text', 'integer', 'boolean', 'timestamp', 'json', 'sealed')
  .chain((kind) => {
    const isPlain = kind !== 'json' && kind !== 'sealed'
    const some = rarely(isPlain, isPlain ? 1 : 200)
    return fc.record({
      name: fieldName,
      column: sqlName,
      kind: fc.constant(kind),
      schema: fc.nat(19).map((n) => {
        const schemas: readonly (() => Schema)[] = kinds[kind].schemas
        const last = schemas.length - 1
        return schemas[n % 10 === 9 ? last : n % Math.max(1, last)] as () => Schema
      }),
      keyed: rarely(kind === 'text', kind === 'text' ? 3 : 200),
      nullable: fc.boolean(),
      required: fc.boolean(),
      readOnly: rarely(false),
      unique: rarely(false, isPlain ? 5 : 200),
      indexed: rarely(true, 30),
      sortable: some,
      filter: some,
      access: ownAccess,
      fits: rarely(true, 60),
    })
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
  onDelete: fc.constantFrom(...Array(30).fill('cascade'), 'set null'),
  fits: rarely(true, 30),
})

const type = fc.record({
  name: fieldName,
  table: sqlName,
  id: sqlName,
  owner: sqlName,
  revision: sqlName,
  owned: fc.boolean(),
  revised: rarely(true, 20),
  snapshot: rarely(false, 4),
  counted: fc.boolean(),
  computes: fc.boolean(),
  filters: fc.boolean(),
  spelled: rarely(false, 4),
  filterId: fc.boolean(),
  attributes: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.uniqueArray(attribute, { maxLength: 8, selector: ({ name }) => name }),
    },
    { weight: 1, arbitrary: fc.array(attribute, { minLength: 30, maxLength: 40 }) },
  ),
  relationships: fc.uniqueArray(relationship, { maxLength: 4, selector: ({ name }) => name }),
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
export const plans = fc.uniqueArray(type, {
  minLength: 1,
  maxLength: 4,
  selector: ({ name }) => name,
})

/** What tables and types are made from. */
export type Plan = typeof plans extends Arbitrary<infer Value> ? Value : never

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
 * @param isOpen can everybody create resources of all types? Then no type is in memory
 */
export function domainOf(
  plan: Plan,
  { table, text, index, uniqueIndex, primaryKey, ...columns }: Declaring,
  isOpen = false,
) {
  const tables: SQLiteTable[] = []
  const tableName = namer()
  const indexName = namer()
  let made = 0
  const ids: SQLiteColumn[] = []
  const bodies = plan.map((one, at) => {
    const columnName = namer()
    const related = one.relationships.map((each) => {
      const target = each.to % plan.length
      const isKept = one.snapshot && each.fits && !plan[target]?.snapshot
      const isTaken = each.fits && one.attributes.some(({ name }) => name === each.name)
      return { ...each, target: isKept ? at : target, name: isTaken ? `${each.name}s` : each.name }
    })
    const attributes = one.attributes.map((each, nth) => {
      const { fits, kind, keyed } = each
      const isHeld = fits && ((each.sortable && kind !== 'text') || (each.unique && keyed))
      const required = isHeld || each.required
      const nullable = each.nullable && !isHeld
      const isEmpty = !each.readOnly && (!required || nullable || kind === 'json')
      return {
        ...each,
        required,
        nullable,
        mayBeNull: fits ? isEmpty : !isEmpty,
        sortable: each.sortable && (!fits || kind !== 'text' || keyed),
        name: one.attributes.length > 20 ? `${each.name}${nth}` : each.name,
        at: `attribute${nth}`,
      }
    })
    const builders: Record<string, unknown> = {
      id: text(columnName(one.id)).primaryKey(),
      owner: text(columnName(one.owner)).notNull(),
      revision: text(columnName(one.revision)).notNull().default('0'),
    }
    if (!one.owned || one.snapshot) {
      delete builders.owner
    }
    for (const { at, kind, column, mayBeNull, readOnly, keyed, fits } of attributes) {
      const declared = { text, ...columns }[kinds[kind].column](columnName(column))
      const plain = mayBeNull ? declared : declared.notNull()
      const { value } = kinds[kind]
      builders[at] = readOnly && fits ? plain.$defaultFn((() => value) as never) : plain
      if (keyed) {
        builders[`${at}Key`] = text(columnName(column)).notNull().default('')
      }
    }
    for (const [nth, { many, column, target }] of related.entries()) {
      if (!many) {
        builders[`one${nth}`] = text(columnName(column)).references(
          () => ids[target] as AnySQLiteColumn,
          { onDelete: 'set null' },
        )
      }
    }
    const own = table(tableName(one.table), builders as never, (all) => {
      const named = all as Record<string, SQLiteColumn>
      return attributes
        .filter(({ unique, indexed }) => unique && indexed)
        .map(({ at, keyed }) =>
          uniqueIndex(indexName('unique')).on(named[keyed ? `${at}Key` : at] as never),
        )
        .concat(
          one.owned && !one.snapshot
            ? [index(indexName('owner')).on(named.owner as never) as never]
            : [],
        )
    }) as unknown as SQLiteTable & Record<string, SQLiteColumn>
    ids.push(own.id as SQLiteColumn)
    tables.push(own)
    return { one, own, attributes, related }
  })
  const definitions = bodies.map(({ one, own, attributes, related }, at): ResourceDefinition => {
    const relationships = related.map((each, nth): [string, Relationship] => {
      const { target, many, meta, paged, operations, reading, writing, access, onDelete } = each
      const description = 'Others.'
      const allowed = (kind: string) =>
        Object.fromEntries(
          operations
            .filter((name) => name === 'read' || (!one.snapshot && (many || name === 'replace')))
            .map((name) => [
              name + kind,
              name === 'read' ? reading : writingOf(one.owned, writing),
            ]),
        )
      const to = plan[target]?.name ?? ''
      if (!many) {
        const stored = own[`one${nth}`] as SQLiteColumn
        return [each.name, toOne(to, { description, access, stored, operations: allowed('One') })]
      }
      const columnName = namer()
      const refers = (of: number) =>
        text(columnName(each.column))
          .notNull()
          .references(() => ids[of] as AnySQLiteColumn, { onDelete: onDelete as 'cascade' })
      const builders = {
        owner: refers(at),
        target: refers(target),
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
        description,
        access,
        stored: { table: members, owner: named.owner as never, target: named.target as never },
        pagination: paged,
        ...(meta.length > 0 && {
          meta: Object.fromEntries(meta.map(([name]) => [name, metaOf(name)])),
        }),
        ...(each.reflexive && { reflexive: false }),
        operations: allowed('Many'),
      })
      return [each.name, relationship]
    })
    const declared = attributes.map((each): [string, Attribute] => {
      const { name, kind, schema, keyed, nullable, required, readOnly, unique } = each
      const { sortable, filter, access } = each
      const stored = {
        column: own[each.at],
        ...(keyed && { key: own[`${each.at}Key`] }),
        ...(unique && { unique }),
        ...((kind === 'json' || kind === 'sealed') && { as: kind }),
      }
      const isNeeded = isOpen && own[each.at]?.notNull
      return [
        name,
        {
          schema: nullable && !isNeeded ? () => z.nullable(schema() as z.ZodMiniType) : schema,
          stored: stored as never,
          access: writingOf(one.owned && !one.snapshot, { access }).access,
          ...((required || isNeeded) && !readOnly && { required: true }),
          ...(readOnly && { readOnly }),
          ...(sortable && !one.snapshot && { sortable }),
          ...(filter && { filter: kinds[kind].filter }),
        },
      ]
    })
    const plain = attributes.filter(({ kind }) => kind !== 'json' && kind !== 'sealed').slice(0, 3)
    if (one.computes && plain[0]) {
      const columns = plain.map(({ name, at }) => [name, own[at] as SQLiteColumn] as const)
      const stored = computed(Object.fromEntries(columns), (row) => JSON.stringify(row))
      const { access } = writingOf(one.owned && !one.snapshot, plain[0])
      declared.push(['computed', { schema: () => z.string(), stored, readOnly: true, access }])
    }
    const filters = plain.map(({ name, kind, at }) => {
      const stored = filterBy(own, (table, text) => {
        const column = table[at] as SQLiteColumn
        return one.spelled ? sql`${column} >= ${text}` : gte(column, columnValue(column, text))
      })
      const { access } = one.reading
      return [`${name}.from`, { description: 'From.', schema: kinds[kind].filter, access, stored }]
    })
    const operations = one.operations.filter((name) => name === 'get' || !one.snapshot)
    return {
      type: one.name,
      description: 'Things.',
      stored: {
        table: own,
        id: own.id as never,
        ...(one.owned && !one.snapshot && { owner: own.owner as never }),
        ...((one.revised || isOpen) && { revision: own.revision as never }),
        ...(one.counted && !one.snapshot && { counter: one.name }),
      },
      ...(one.snapshot && !isOpen && { snapshot: true }),
      id: { schema: () => z.string(), ...(one.filterId && { filter: true }) },
      attributes: Object.fromEntries(declared),
      relationships: Object.fromEntries(relationships),
      ...(one.filters && !one.snapshot && { filters: Object.fromEntries(filters) }),
      pagination: one.pagination,
      operations: {
        list: one.reading,
        ...Object.fromEntries(
          operations.map((name) => [
            name,
            name === 'get' ? one.reading : writingOf(one.owned && name !== 'create', one.writing),
          ]),
        ),
        ...((isOpen || operations.includes('create')) && {
          create: {
            ...writingOf(false, one.writing),
            newId: () => `${isOpen ? 'o' : 'n'}${++made}~`,
          },
        }),
      } as ResourceDefinition['operations'],
      cacheControl: 'no-store',
    }
  })
  return { tables, registry: createRegistry(definitions) }
}
