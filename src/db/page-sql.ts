import { type SQL, sql } from 'drizzle-orm'
import type { SortKey } from '../jsonapi/request/query.ts'
import type { FromShape, Values } from '../jsonapi/run/plan.ts'
import { keyColumn, keyOf, type StoredDefinition, storedAttribute } from './source.ts'
import { all, at, commas, each, nameOf, type Parameter, param } from './statement.ts'

/** How many rows a page shows; `-1`: all. */
export const shown: Parameter<Values> = ({ limit }) => limit ?? -1

/** How many rows of a page are read: one more than it shows tells that it goes on. `-1`: all. */
export const fetched: Parameter<Values> = ({ limit }) => (limit === undefined ? -1 : limit + 1)

const offset: Parameter<Values> = (values) => values.offset

/** One key of an order, with the parameter that holds its value in the row before the page. */
interface OrderKey {
  readonly column: SQL
  readonly descending: boolean
  readonly after: SQL
}

/**
 * A page. From a position the rows are the union of ranges, each of which is one range of an index: equal in
 * the first keys and past the next one. So a page costs the same wherever it begins, in any mix of directions.
 */
export function pageOf(
  definition: StoredDefinition,
  from: FromShape & { kind: 'page' },
  columns: SQL,
): SQL {
  const source = definition.stored
  const keys = orderKeys(definition, from.sort)
  const order = sql`ORDER BY ${commas(keys.map(({ column, descending }) => (descending ? sql`${column} DESC` : column)))}`
  const isCounted = from.filter.length === 0 && from.offset && source.counter !== undefined
  // An offset past the end would walk all of the index to find nothing there.
  const limit = isCounted
    ? sql`CASE WHEN ${param(offset)} < ${totalOf(definition, [])} THEN ${param(fetched)} ELSE 0 END`
    : param(fetched)
  const page = sql`LIMIT ${limit} OFFSET ${param(offset)}`
  const byId = from.filter.includes('id')
  const conditions = conditionsOf(
    definition,
    from.filter.filter((name) => name !== 'id'),
  )
  const rows = (where: readonly SQL[]): SQL =>
    byId
      ? sql`SELECT ${columns} FROM ${each(filterValues(definition, 'id'))} AS w CROSS JOIN ${nameOf(source.table)} AS p
          ON ${at('p', source.id)} = w.value WHERE ${all([...conditions, ...where])} ${order} ${page}`
      : sql`SELECT ${columns} FROM ${nameOf(source.table)} AS p WHERE ${all([...conditions, ...where])} ${order} ${page}`
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
  return byId
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

/** The order of a page: the keys asked for, then the id, unless a key is unique already. */
function orderKeys(definition: StoredDefinition, sort: readonly SortKey[]): OrderKey[] {
  const unique = sort.findIndex(({ field }) => storedAttribute(definition, field).unique)
  const keys: readonly SortKey[] =
    unique < 0 ? [...sort, { field: 'id', descending: false }] : sort.slice(0, unique + 1)
  return keys.map(({ field, descending }, index) => ({
    column: at('p', keyColumn(definition, field)),
    descending,
    after: param<Values>(({ after }) => after[index]),
  }))
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
