import { type SQL, sql } from 'drizzle-orm'
import type { SortKey } from '../jsonapi/request/query.ts'
import type { FromShape, Values } from '../jsonapi/run/plan.ts'
import {
  keyColumn,
  keyOf,
  type StoredDefinition,
  storedAttribute,
  storedRelationship,
} from './source.ts'
import { all, at, commas, each, nameOf, param } from './statement.ts'

/** The values of a read, by the names of the parameters of its statement. A statement takes some of them. */
export interface ReadValues {
  /** See {@link Values}. */
  readonly viewer: string | null
  readonly offset: number
  /** The id of the one resource that is read, or whose relationship is read. */
  readonly id: string | undefined
  /** The ids that are read, as a JSON array. */
  readonly ids: string
  /** How many rows a page shows; `-1` for all. */
  readonly shown: number
  /** How many rows of a page are read; `-1` for all. One row more than the page shows tells that another page follows. */
  readonly fetched: number
  /** The value of each key of the order in the row before the page. */
  readonly [after: `after ${number}`]: string
  /** The values of each filter as {@link keyColumn} holds them, as a JSON array. */
  readonly [filter: `filter ${string}`]: string
}

/**
 * The values of a read under the names of the parameters.
 *
 * @param definition the type whose fields are filtered
 */
export function readValues(
  definition: StoredDefinition,
  { viewer, ids, filter, after, offset, limit }: Values,
): ReadValues {
  const keys = after.map((value, index) => [`after ${index}`, value])
  const filters = Object.entries(filter).map(([name, values]) => [
    `filter ${name}`,
    JSON.stringify(values.map((value) => keyOf(definition, name, value))),
  ])
  return {
    viewer,
    offset,
    id: ids[0],
    ids: JSON.stringify(ids),
    shown: limit ?? -1,
    fetched: limit === undefined ? -1 : limit + 1,
    ...Object.fromEntries([...keys, ...filters]),
  }
}

const fetched = param<ReadValues>('fetched')
const offset = param<ReadValues>('offset')

/** The id of the one resource that is read, or whose relationship is read. */
export const oneId: SQL = param<ReadValues>('id')

/** Where the rows of a page come from. */
interface Rows {
  /** The text behind FROM. Where resources are read, their table is named `p` there. */
  readonly from: SQL
  /** The column of the ids of the resources. */
  readonly id: SQL
  readonly conditions: readonly SQL[]
  /** Are there no more rows than one request names, or than one resource has members? */
  readonly areFew: boolean
}

/** One key of an order. `after` is the parameter with the value of the key in the row before the page. */
interface OrderKey {
  readonly column: SQL
  readonly descending: boolean
  readonly after: SQL
}

/** The query of a page of a collection. */
export function pageOf(
  definition: StoredDefinition,
  from: FromShape & { kind: 'page' },
  columns: SQL,
): SQL {
  const source = definition.stored
  const table = nameOf(source.table)
  const id = at('p', source.id)
  const names = from.filter.filter((name) => name !== 'id')
  const conditions = conditionsOf(definition, names)
  if (from.filter.includes('id')) {
    const rows = sql`${each<ReadValues>('filter id')} AS w CROSS JOIN ${table} AS p ON ${id} = w.value`
    return select(definition, from, { from: rows, id, conditions, areFew: true }, columns)
  }
  const isCounted = names.length === 0 && from.offset && source.counter !== undefined
  // An offset past the end would walk the whole index and find nothing.
  const limit = isCounted
    ? sql`CASE WHEN ${offset} < ${totalOf(definition, [])} THEN ${fetched} ELSE 0 END`
    : fetched
  const rows = { from: sql`${table} AS p`, id, conditions, areFew: false }
  return select(definition, from, rows, columns, limit)
}

/**
 * The query of a page of the members of a relationship. In the order of ids it reads the index of the member table. Sorted or
 * filtered, it may look at every member of the resource (contract, section 10).
 *
 * @param owner the type that has the relationship
 * @param definition the type of its targets
 * @param isRead true where the query reads the targets, false where it reads their ids alone
 */
export function membersOf(
  owner: StoredDefinition,
  relationship: string,
  definition: StoredDefinition,
  from: Exclude<FromShape, { kind: 'ids' }>,
  columns: SQL,
  isRead: boolean,
): SQL {
  const { cardinality, stored } = storedRelationship(owner, relationship)
  const isMany = cardinality === 'many'
  const [table, ownerId] = isMany
    ? [stored.table, stored.owner]
    : [owner.stored.table, owner.stored.id]
  const id = at('l', isMany ? stored.target : stored)
  const members = sql`${nameOf(table)} AS l`
  const targets = sql`${members} CROSS JOIN ${nameOf(definition.stored.table)} AS p ON ${at('p', definition.stored.id)} = ${id}`
  const others = from.filter.filter((name) => name !== 'id')
  const isCompared = others.length > 0 || from.sort.length > 0
  const rows: Rows = {
    from: isRead || isCompared ? targets : members,
    id,
    conditions: [
      sql`${at('l', ownerId)} = ${oneId}`,
      ...(isMany ? [] : [sql`${id} IS NOT NULL`]),
      ...(from.filter.includes('id')
        ? [sql`${id} IN (SELECT value FROM ${each<ReadValues>('filter id')})`]
        : []),
      ...conditionsOf(definition, others),
    ],
    areFew: true,
  }
  if (!isRead || from.sort.length === 0) {
    return select(definition, from, rows, columns)
  }
  // The order needs the sort keys of every member, but the selected columns are read for the resources of the page alone.
  const picked = select(definition, from, rows, sql`${id} AS id`)
  const order = orderOf(orderKeys(definition, from.sort, at('p', definition.stored.id)))
  return sql`SELECT ${columns} FROM (${picked}) AS w
    CROSS JOIN ${nameOf(definition.stored.table)} AS p ON ${at('p', definition.stored.id)} = w.id ${order} LIMIT ${fetched}`
}

/**
 * The query of a page. A page behind a row is the union of ranges, each of which is one range of an index: rows that are
 * equal in the first keys and past the next one. So a page costs the same wherever it begins, in any mix of directions.
 */
function select(
  definition: StoredDefinition,
  from: Exclude<FromShape, { kind: 'ids' }>,
  { from: source, id, conditions, areFew }: Rows,
  columns: SQL,
  limit = fetched,
): SQL {
  const keys = orderKeys(definition, from.sort, id)
  const skipped = from.kind === 'page' ? sql` OFFSET ${offset}` : sql``
  const rows = (where: readonly SQL[]): SQL =>
    sql`SELECT ${columns} FROM ${source} WHERE ${all([...conditions, ...where])} ${orderOf(keys)} LIMIT ${limit}${skipped}`
  if (!from.after) {
    return rows([])
  }
  const ranges = keys.map((key, index) => [
    ...keys.slice(0, index).map(({ column, after }) => sql`${column} = ${after}`),
    sql`${key.column} ${sql.raw(key.descending ? '<' : '>')} ${key.after}`,
  ])
  // Rows that are equal in more keys come first in the order, so that the ranges are reversed.
  const [first = [], ...rest] = ranges.reverse()
  if (rest.length === 0) {
    return rows(first)
  }
  return areFew
    ? rows([
        sql`(${sql.join(
          ranges.map((range) => sql`(${all(range)})`),
          sql` OR `,
        )})`,
      ])
    : sql`${sql.join(
        ranges.map((range) => sql`SELECT * FROM (${rows(range)})`),
        sql` UNION ALL `,
      )} LIMIT ${fetched}`
}

function orderOf(keys: readonly OrderKey[]): SQL {
  const columns = keys.map(({ column, descending }) => (descending ? sql`${column} DESC` : column))
  return sql`ORDER BY ${commas(columns)}`
}

/** The keys of the order of a page: those that were asked for up to the first unique one, and the id where none is unique. */
function orderKeys(definition: StoredDefinition, sort: readonly SortKey[], id: SQL): OrderKey[] {
  const unique = sort.findIndex(({ field }) => storedAttribute(definition, field).unique)
  const keys = unique < 0 ? sort : sort.slice(0, unique + 1)
  const order = keys.map(({ field, descending }) => ({
    column: at('p', keyColumn(definition, field)),
    descending,
  }))
  return [...order, ...(unique < 0 ? [{ column: id, descending: false }] : [])].map(
    (key, index) => ({ ...key, after: param<ReadValues>(`after ${index}`) }),
  )
}

/** The number of resources that pass the filters. */
export function totalOf(definition: StoredDefinition, filters: readonly string[]): SQL {
  const source = definition.stored
  if (filters.length === 0 && source.counter !== undefined) {
    return sql`(SELECT value FROM counters WHERE name = ${sql.raw(`'${source.counter}'`)})`
  }
  return sql`(SELECT count(*) FROM ${nameOf(source.table)} AS p WHERE ${all(conditionsOf(definition, filters))})`
}

/** The conditions that a resource has, for each filter, one of its values. */
function conditionsOf(definition: StoredDefinition, filters: readonly string[]): SQL[] {
  return filters.map(
    (name) =>
      sql`${at('p', keyColumn(definition, name))} IN (SELECT value FROM ${each<ReadValues>(`filter ${name}`)})`,
  )
}
