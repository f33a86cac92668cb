import { type SQL, sql } from 'drizzle-orm'
import type { SortKey } from '../jsonapi/query.ts'
import type { From } from '../jsonapi/store.ts'
import { keyColumn, type StoredDefinition, storedAttribute } from './source.ts'
import { all, at, commas, each, nameOf, param } from './statement.ts'

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
  from: From & { kind: 'page' },
  columns: SQL,
): SQL {
  const source = definition.stored
  const keys = orderKeys(definition, from.sort)
  const order = sql`ORDER BY ${commas(keys.map(({ column, descending }) => (descending ? sql`${column} DESC` : column)))}`
  const isCounted =
    Object.keys(from.filter).length === 0 && from.offset > 0 && source.counter !== undefined
  // An offset past the end would walk all of the index to find nothing there.
  const limit = isCounted
    ? sql`CASE WHEN ${param('offset')} < ${totalOf(definition, {})} THEN ${param('fetch')} ELSE 0 END`
    : param('fetch')
  const page = sql`LIMIT ${limit} OFFSET ${param('offset')}`
  const { id: ids, ...others } = from.filter
  const conditions = conditionsOf(definition, Object.keys(others))
  const rows = (where: readonly SQL[]): SQL =>
    ids
      ? sql`SELECT ${columns} FROM ${each('filter_id')} AS w CROSS JOIN ${nameOf(source.table)} AS p
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
  return ids
    ? rows([
        sql`(${sql.join(
          ranges.map((range) => sql`(${all(range)})`),
          sql` OR `,
        )})`,
      ])
    : sql`${sql.join(
        ranges.map((range) => sql`SELECT * FROM (${rows(range)})`),
        sql` UNION ALL `,
      )} LIMIT ${param('fetch')}`
}

/** The order of a page: the keys asked for, then the id, unless a key is unique already. */
function orderKeys(definition: StoredDefinition, sort: readonly SortKey[]): OrderKey[] {
  const keys: OrderKey[] = []
  for (const [index, { field, descending }] of sort.entries()) {
    const column = at('p', keyColumn(definition, field))
    keys.push({ column, descending, after: param(`after${index}`) })
    if (storedAttribute(definition, field).unique) {
      return keys
    }
  }
  const after = param(`after${sort.length}`)
  return [...keys, { column: at('p', definition.stored.id), descending: false, after }]
}

/** The number of resources under the filters. */
export function totalOf(
  definition: StoredDefinition,
  filter: Readonly<Record<string, readonly string[]>>,
): SQL {
  const source = definition.stored
  const names = Object.keys(filter)
  if (names.length === 0 && source.counter !== undefined) {
    return sql`(SELECT value FROM counters WHERE name = ${sql.raw(`'${source.counter}'`)})`
  }
  return sql`(SELECT count(*) FROM ${nameOf(source.table)} AS p WHERE ${all(conditionsOf(definition, names))})`
}

/** Each filter holds one of its values. */
function conditionsOf(definition: StoredDefinition, filters: readonly string[]): SQL[] {
  return filters.map((name) => {
    return sql`${at('p', keyColumn(definition, name))} IN (SELECT value FROM ${each(`filter_${name}`)})`
  })
}
