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
import { all, at, commas, each, nameOf, type Parameter, param } from './statement.ts'

/** How many rows a page shows; `-1`: all. */
export const shown: Parameter<Values> = ({ limit }) => limit ?? -1

/** How many rows of a page are read: one more than it shows tells that it goes on. `-1`: all. */
const fetched: Parameter<Values> = ({ limit }) => (limit === undefined ? -1 : limit + 1)

const offset: Parameter<Values> = (values) => values.offset

/** The one id that is read, or that a relationship is read of. */
export const oneId: SQL = param<Values>(({ ids }) => ids[0])

/** Where the rows of a page come from. */
interface Rows {
  /** What stands behind FROM: the resources as `p`, where they are read. */
  readonly from: SQL
  /** The ids of the resources. */
  readonly id: SQL
  readonly conditions: readonly SQL[]
  /** They are as few as one request names or one resource has. */
  readonly areFew: boolean
}

/** One key of an order, with the parameter that holds its value in the row before the page. */
interface OrderKey {
  readonly column: SQL
  readonly descending: boolean
  readonly after: SQL
}

/** A page of a collection. */
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
    const rows = sql`${each(filterValues(definition, 'id'))} AS w CROSS JOIN ${table} AS p ON ${id} = w.value`
    return select(definition, from, { from: rows, id, conditions, areFew: true }, columns)
  }
  const isCounted = names.length === 0 && from.offset && source.counter !== undefined
  // An offset past the end would walk all of the index to find nothing there.
  const limit = isCounted
    ? sql`CASE WHEN ${param(offset)} < ${totalOf(definition, [])} THEN ${param(fetched)} ELSE 0 END`
    : param(fetched)
  const rows = { from: sql`${table} AS p`, id, conditions, areFew: false }
  return select(definition, from, rows, columns, limit)
}

/**
 * A page of the members of a relationship. In the order of ids it goes by the index of the links; sorted or filtered it may
 * look at every member of the one resource (contract, section 10).
 *
 * @param owner the type that has the relationship
 * @param definition the type of its targets
 * @param isRead are the targets read, or only their ids?
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
  const links = sql`${nameOf(table)} AS l`
  const targets = sql`${links} CROSS JOIN ${nameOf(definition.stored.table)} AS p ON ${at('p', definition.stored.id)} = ${id}`
  const others = from.filter.filter((name) => name !== 'id')
  const isCompared = others.length > 0 || from.sort.length > 0
  const rows: Rows = {
    from: isRead || isCompared ? targets : links,
    id,
    conditions: [
      sql`${at('l', ownerId)} = ${oneId}`,
      ...(isMany ? [] : [sql`${id} IS NOT NULL`]),
      ...(from.filter.includes('id')
        ? [sql`${id} IN (SELECT value FROM ${each(filterValues(definition, 'id'))})`]
        : []),
      ...conditionsOf(definition, others),
    ],
    areFew: true,
  }
  if (!isRead || from.sort.length === 0) {
    return select(definition, from, rows, columns)
  }
  // Sorted, what is shown of a resource is read of those on the page alone, not of every member.
  const picked = select(definition, from, rows, sql`${id} AS id`)
  const order = orderOf(orderKeys(definition, from.sort, at('p', definition.stored.id)))
  return sql`SELECT ${columns} FROM (${picked}) AS w
    CROSS JOIN ${nameOf(definition.stored.table)} AS p ON ${at('p', definition.stored.id)} = w.id ${order} LIMIT ${param(fetched)}`
}

/**
 * Selects a page. From a position the rows are the union of ranges, each of which is one range of an index: equal in
 * the first keys and past the next one. So a page costs the same wherever it begins, in any mix of directions.
 */
function select(
  definition: StoredDefinition,
  from: Exclude<FromShape, { kind: 'ids' }>,
  { from: source, id, conditions, areFew }: Rows,
  columns: SQL,
  limit = param(fetched),
): SQL {
  const keys = orderKeys(definition, from.sort, id)
  const skipped = from.kind === 'page' ? sql` OFFSET ${param(offset)}` : sql``
  const rows = (where: readonly SQL[]): SQL =>
    sql`SELECT ${columns} FROM ${source} WHERE ${all([...conditions, ...where])} ${orderOf(keys)} LIMIT ${limit}${skipped}`
  if (!from.after) {
    return rows([])
  }
  const ranges = keys.map((key, index) => [
    ...keys.slice(0, index).map(({ column, after }) => sql`${column} = ${after}`),
    sql`${key.column} ${sql.raw(key.descending ? '<' : '>')} ${key.after}`,
  ])
  // The longest match first: rows equal in all but the last key come next in the order.
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
      )} LIMIT ${param(fetched)}`
}

function orderOf(keys: readonly OrderKey[]): SQL {
  const columns = keys.map(({ column, descending }) => (descending ? sql`${column} DESC` : column))
  return sql`ORDER BY ${commas(columns)}`
}

/** The order of a page: the keys asked for, then the id, unless a key is unique already. */
function orderKeys(definition: StoredDefinition, sort: readonly SortKey[], id: SQL): OrderKey[] {
  const unique = sort.findIndex(({ field }) => storedAttribute(definition, field).unique)
  const keys = unique < 0 ? sort : sort.slice(0, unique + 1)
  const order = keys.map(({ field, descending }) => ({
    column: at('p', keyColumn(definition, field)),
    descending,
  }))
  return [...order, ...(unique < 0 ? [{ column: id, descending: false }] : [])].map(
    (key, index) => ({ ...key, after: param<Values>(({ after }) => after[index]) }),
  )
}

/** The number of resources under the filters. */
export function totalOf(definition: StoredDefinition, filters: readonly string[]): SQL {
  const source = definition.stored
  if (filters.length === 0 && source.counter !== undefined) {
    return sql`(SELECT value FROM counters WHERE name = ${sql.raw(`'${source.counter}'`)})`
  }
  return sql`(SELECT count(*) FROM ${nameOf(source.table)} AS p WHERE ${all(conditionsOf(definition, filters))})`
}

/** Each filter holds one of its values. */
function conditionsOf(definition: StoredDefinition, filters: readonly string[]): SQL[] {
  return filters.map(
    (name) =>
      sql`${at('p', keyColumn(definition, name))} IN (SELECT value FROM ${each(filterValues(definition, name))})`,
  )
}

/** The values of a filter, as the column holds them that they are compared with. */
function filterValues(definition: StoredDefinition, name: string): Parameter<Values> {
  return ({ filter }) => {
    const values = filter[name]?.map((value) => keyOf(definition, name, value))
    return values && JSON.stringify(values)
  }
}
