import { type SQL, sql } from 'drizzle-orm'
import { counted, join, picksFirst, spanOf, unindexed } from '#dialect'
import { type Comparison, comparedBy } from '../jsonapi/declare/readable.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { SortKey } from '../jsonapi/request/query.ts'
import type { From, Read, ResourceRecord } from '../jsonapi/run/store.ts'
import { keyColumn, keyOf, storedAttribute, storedRelationship } from './source.ts'
import { all, at, commas, each, literal, param, tableName } from './statement.ts'

/** A page of resources, or of the members of a relationship. */
export type Paging = Exclude<From, { kind: 'ids' }>

// What a page is: which rows pass its filters, their order, and how many it shows. `src/db/snapshot.ts` takes filters and limits from
// here for resources in memory, which have no sorts.

/** A way in which a filter compares the key of a row with those that were asked for: in SQL, and the same in memory. */
interface Compared {
  /** @param wanted a table with the keys in its column `value` */
  readonly sql: (key: SQL, wanted: SQL) => SQL
  readonly holds: (key: string, wanted: ReadonlySet<string>) => boolean
}

const comparisons: Readonly<Record<Comparison, Compared>> = {
  equals: {
    sql: (key, wanted) => sql`${key} IN (SELECT value FROM ${wanted})`,
    holds: (key, wanted) => wanted.has(key),
  },
}

/** Gives the function that tells whether a resource in memory passes filters: for each of them, it has one of the values. */
export function passes(
  definition: ResourceDefinition,
  filter: Paging['filter'],
): (resource: Pick<ResourceRecord, 'id' | 'attributes'>) => boolean {
  const conditions = Object.entries(filter).map(([name, values]) => {
    const { field, comparison } = comparedBy(name)
    const wanted = new Set(values.map((value) => keyOf(definition, field, value)))
    return ({ id, attributes }: Pick<ResourceRecord, 'id' | 'attributes'>): boolean => {
      const value = field === 'id' ? id : attributes[field]
      return (
        value != null &&
        comparisons[comparison].holds(keyOf(definition, field, String(value)), wanted)
      )
    }
  })
  return (resource) => conditions.every((holds) => holds(resource))
}

/** The limit of a page that shows all rows. */
const everyRow = 2 ** 31 - 1

/** How many rows are read of which `limit` are shown: one more, which tells that others follow. {@link everyRow} for all. */
export function fetchedFor(limit: number | undefined): number {
  return limit === undefined ? everyRow : limit + 1
}

/** The rows that are shown, and whether others follow. */
export function firstOf<Row>(
  rows: readonly Row[],
  limit: number | undefined,
): { readonly shown: readonly Row[]; readonly more: boolean } {
  const more = limit !== undefined && rows.length > limit
  return { shown: more ? rows.slice(0, limit) : rows, more }
}

/** The values of a read, by the names of the parameters of its statement. A statement takes some of them. */
export interface ReadValues {
  readonly viewer: string | null
  /** The id of the one resource that is read, or whose relationship is read. */
  readonly id: string | undefined
  /** The ids that are read, as a JSON array. */
  readonly ids: string
  readonly offset: number
  /** How many rows a page shows; {@link everyRow} for all. */
  readonly shown: number
  /** How many rows of a page are read; {@link everyRow} for all. */
  readonly fetched: number
  /** The value of each key of the order in the row before the page. */
  readonly [after: `after ${number}`]: string
  /** The values of each filter as {@link keyColumn} holds them, as a JSON array. */
  readonly [filter: `filter ${string}`]: string
}

/** The values of a read. */
export function readValues(registry: Registry, { type, from, viewer }: Read): ReadValues {
  if (from.kind === 'ids') {
    const { ids } = from
    return {
      viewer,
      id: ids[0],
      ids: JSON.stringify(ids),
      offset: 0,
      shown: everyRow,
      fetched: everyRow,
    }
  }
  const isPage = from.kind === 'page'
  const { filter, after = [], limit } = from
  const definition = registry.get(type)
  const compared = isPage
    ? definition
    : registry.get(storedRelationship(definition, from.relationship).target)
  const named = [
    ...after.map((value, index) => [`after ${index}`, value]),
    ...Object.entries(filter).map(([name, values]) => {
      const { field } = comparedBy(name)
      const keys = values.map((value) => keyOf(compared, field, value))
      return [`filter ${name}`, JSON.stringify(keys)]
    }),
  ]
  return {
    viewer,
    id: isPage ? from.of?.id : from.id,
    ids: '[]',
    offset: isPage ? from.offset : 0,
    shown: limit ?? everyRow,
    fetched: fetchedFor(limit),
    ...Object.fromEntries(named),
  }
}

const fetched = param<ReadValues>('fetched')

/** Where the rows of a page come from. */
interface Rows {
  /** The text behind FROM. Where resources are read, their table is named `p` there. */
  readonly from: SQL
  /** The column of the ids of the resources. */
  readonly id: SQL
  readonly conditions: readonly SQL[]
  /**
   * The order by the names of the columns, for a page behind a row that reads its ranges of an index one by one. Absent where the rows
   * are so few that each page may look at all of them: one request names them, or one resource has them as members.
   */
  readonly named?: SQL
}

/**
 * The query of a page of a collection.
 *
 * @param named the order by the names of the columns: see {@link orderByNames}
 */
export function collectionQuery(
  definition: ResourceDefinition,
  from: From & { kind: 'page' },
  columns: SQL,
  named: SQL,
): SQL {
  const source = definition.stored
  const table = tableName(source.table)
  const id = at('p', source.id)
  const { id: ids, ...others } = from.filter
  const conditions = conditionsOf(definition, others, id)
  if (ids) {
    const rows = sql`${each<ReadValues>('filter id')} AS w ${join} ${table} AS p ON ${id} = w.value`
    return select(definition, from, { from: rows, id, conditions }, columns)
  }
  const isCounted = conditions.length === 0 && from.offset > 0 && source.counter !== undefined
  // An offset past the end would walk the whole index and find nothing.
  const isWithin = sql`${param<ReadValues>('offset')} < ${totalOf(definition, {})}`
  const rows = { from: sql`${table} AS p`, id, conditions, named }
  if (!picksFirst || from.offset === 0) {
    const limit = isCounted ? sql`CASE WHEN ${isWithin} THEN ${fetched} ELSE 0 END` : fetched
    return select(definition, from, rows, columns, limit)
  }
  // The planner would not know such a limit. It asks for this condition once, before all rows.
  const within = isCounted ? { ...rows, conditions: [isWithin] } : rows
  const picked = select(definition, from, within, sql`${id} AS id`)
  const order = orderBy(orderKeys(definition, from.sort, id))
  return sql`SELECT ${columns} FROM (${picked}) AS w ${join} ${table} AS p ON ${id} = w.id ${order}`
}

/**
 * The query of a page of the members of a relationship. In the order of ids it reads the index of the member table. Sorted or
 * filtered, it may look at every member of the resource (contract, section 10).
 *
 * @param owner the type that has the relationship
 * @param definition the type of its targets
 * @param isRead true where the query reads the targets, false where it reads their ids alone
 */
export function memberQuery(
  owner: ResourceDefinition,
  relationship: string,
  definition: ResourceDefinition,
  from: Paging,
  columns: SQL,
  isRead: boolean,
): SQL {
  const { cardinality, stored } = storedRelationship(owner, relationship)
  const isMany = cardinality === 'many'
  const [table, ownerId] = isMany
    ? [stored.table, stored.owner]
    : [owner.stored.table, owner.stored.id]
  const id = at('l', isMany ? stored.target : stored)
  const members = sql`${tableName(table)} AS l`
  const targetId = at('p', definition.stored.id)
  const target = sql`${join} ${tableName(definition.stored.table)} AS p ON ${targetId}`
  const isCompared = from.sort.length > 0 || Object.keys(from.filter).some((name) => name !== 'id')
  const rows: Rows = {
    from: isRead || isCompared ? sql`${members} ${target} = ${id}` : members,
    id,
    conditions: [
      sql`${at('l', ownerId)} = ${param<ReadValues>('id')}`,
      ...(isMany ? [] : [sql`${id} IS NOT NULL`]),
      ...conditionsOf(definition, from.filter, id),
    ],
  }
  if (!isRead || from.sort.length === 0) {
    return select(definition, from, rows, columns)
  }
  // The order needs the sort keys of every member, but the selected columns are read for the resources of the page alone.
  const picked = select(definition, from, rows, sql`${id} AS id`)
  const order = orderBy(orderKeys(definition, from.sort, targetId))
  return sql`SELECT ${columns} FROM (${picked}) AS w ${target} = w.id ${order} LIMIT ${fetched}`
}

/**
 * The query of a page. A page behind a row is the union of ranges, each of which is one range of an index: rows that are
 * equal in the first keys and past the next one. So a page costs the same wherever it begins, in any mix of directions.
 */
function select(
  definition: ResourceDefinition,
  from: Paging,
  { from: source, id, conditions, named }: Rows,
  columns: SQL,
  limit = fetched,
): SQL {
  const columnOf = ({ field }: SortKey): SQL => at('p', keyColumn(definition, field))
  const keys = orderKeys(
    definition,
    from.sort,
    id,
    // Only rows of a whole table are found along an index of the sort keys.
    named ? undefined : from.sort.map((key) => unindexed(columnOf(key))),
  )
  const order = orderBy(keys)
  const skipped = from.kind === 'page' ? sql` OFFSET ${param<ReadValues>('offset')}` : sql``
  const rows = (where: readonly SQL[]): SQL =>
    sql`SELECT ${columns} FROM ${source} WHERE ${all([...conditions, ...where])}`
  const page = (where: readonly SQL[]) => sql`${rows(where)} ${order} LIMIT ${limit}${skipped}`
  if (!from.after) {
    return page([])
  }
  const ranges = keys.map((key, index) => [
    ...keys.slice(0, index).map(({ column, after }) => sql`${column} = ${after}`),
    sql`${key.column} ${sql.raw(key.descending ? '<' : '>')} ${key.after}`,
  ])
  const [first = [], ...rest] = ranges
  if (rest.length === 0) {
    return page(first)
  }
  return named
    ? sql`${sql.join(
        ranges.map((range) => spanOf(rows(range), sql`${order} LIMIT ${fetched}`)),
        sql` UNION ALL `,
      )} ${named} LIMIT ${fetched}`
    : page([
        sql`(${sql.join(
          ranges.map((range) => sql`(${all(range)})`),
          sql` OR `,
        )})`,
      ])
}

/** One key of an order. `after` is the parameter with the value of the key in the row before the page. */
interface OrderKey {
  readonly column: SQL
  readonly descending: boolean
  readonly after: SQL
}

/**
 * The keys of the order of a page: those that were asked for up to the first unique one, and the id where none is unique.
 *
 * @param id the column of the id, which an index of the rows may hold beside other keys
 * @param named the columns of the sort keys, or what they are sorted by in their place
 */
function orderKeys(
  definition: ResourceDefinition,
  sort: readonly SortKey[],
  id: SQL,
  named?: readonly SQL[],
): OrderKey[] {
  const unique = sort.findIndex(({ field }) => storedAttribute(definition, field).unique)
  const keys = (unique < 0 ? sort : sort.slice(0, unique + 1)).map(
    ({ field, descending }, index) => ({
      column: named?.[index] ?? at('p', keyColumn(definition, field)),
      descending,
    }),
  )
  return [...keys, ...(unique < 0 ? [{ column: id, descending: false }] : [])].map(
    (key, index) => ({ ...key, after: param<ReadValues>(`after ${index}`) }),
  )
}

/**
 * The order of a page by the names that its columns have in the result.
 *
 * @param keys the names of the columns that it is sorted by, in their order
 */
export function orderByNames(
  definition: ResourceDefinition,
  sort: readonly SortKey[],
  id: SQL,
  keys: readonly SQL[],
): SQL {
  return orderBy(orderKeys(definition, sort, id, keys))
}

function orderBy(keys: readonly OrderKey[]): SQL {
  const columns = keys.map(({ column, descending }) => (descending ? sql`${column} DESC` : column))
  return sql`ORDER BY ${commas(columns)}`
}

/** The number of resources that pass the filters. */
export function totalOf(definition: ResourceDefinition, filter: Paging['filter']): SQL {
  const { table, id, counter } = definition.stored
  const conditions = conditionsOf(definition, filter, at('p', id))
  return counter !== undefined && conditions.length === 0
    ? counted(literal(counter))
    : sql`(SELECT count(*) FROM ${tableName(table)} AS p WHERE ${all(conditions)})`
}

/** The conditions that rows pass the filters. */
function conditionsOf(definition: ResourceDefinition, filter: Paging['filter'], id: SQL): SQL[] {
  return Object.keys(filter).map((name) => {
    const { field, comparison } = comparedBy(name)
    const wanted = each<ReadValues>(`filter ${name}`)
    if (field === 'id') {
      return comparisons[comparison].sql(id, wanted)
    }
    const { column } = storedAttribute(definition, field)
    const holds = comparisons[comparison].sql(at('p', keyColumn(definition, field)), wanted)
    // The key of what has no value is the empty text, which is that of some values, too.
    return column.notNull ? holds : sql`${holds} AND ${at('p', column)} IS NOT NULL`
  })
}
