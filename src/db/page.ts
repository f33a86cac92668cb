import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  isNotNull,
  lt,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { among, limitsRanges, picksIdsFirst, type Query, type Statement, unindexed } from '#engine'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { From } from '../jsonapi/run/port.ts'
import { type At, type Context, columnOf, fieldsOf } from './cells.ts'
import { counters } from './schema.ts'
import { keyColumn, type linksOf, storedAttribute } from './stored.ts'

/** A page of resources, or of the members of a relationship. */
export type Paging = Exclude<From, { readonly kind: 'ids' }>

/** A select that can be sent with others, or kept as a text. */
export type Select = Query & { toSQL(): Statement }

/** The alias of the table of the resources that are read. */
export const main = 'main'

const inMain = (column: SQLiteColumn): SQLiteColumn => columnOf(main, column)

/** The limit or the offset of a select. SQLite prepares a statement anew for each value of a parameter that is one by itself. */
const bound = (value: SQLWrapper) => sql`cast(${value} as integer)` as SQL & number

/**
 * A page of a collection, or of the members of a relationship, in the order of its sort. A row holds the id, or all columns of the
 * member; then the keys of the sort; then what is selected of each resource.
 *
 * @param links the rows of the members of the relationship
 */
export function pageQuery(
  context: Context,
  definition: ResourceDefinition,
  from: Paging,
  selected: readonly SQLWrapper[],
  links?: Pick<ReturnType<typeof linksOf>, 'table' | 'owner' | 'target' | 'columns'>,
): Select {
  const { db, at } = context
  const { sort, filter } = from
  const { table, id, counter } = definition.stored
  const offset = from.kind === 'page' ? from.offset : 0
  const isSorted = sort.length > 0
  const isJoined =
    selected.length > 0 || isSorted || Object.keys(filter).some((name) => name !== 'id')
  // The order needs the keys of every member, and PostgreSQL makes what is selected of each row that it skips.
  const isPicked = links ? isSorted && selected.length > 0 : offset > 0 && picksIdsFirst
  const rowId = links ? columnOf('member', links.target) : inMain(id)
  const sorted = sort.map(({ field }) => inMain(keyColumn(definition, field)))
  const columns = links
    ? [...links.columns.map((column) => columnOf('member', column)), ...sorted.map(unindexed)]
    : [rowId, ...sorted]
  const keys = keysOf(definition, sort, rowId, at)
  const nameAt = (index: number) => sql.identifier(`c${index}`)
  const order = keys.map(({ descending }, index) => {
    const name = nameAt(index < sort.length ? columns.length - sort.length + index : 0)
    return descending ? desc(name) : asc(name)
  })
  const filters = filtersOf(definition, filter, rowId, at)
  const rows = (range: SQL | undefined) => {
    const fields = fieldsOf(isPicked ? columns : [...columns, ...selected])
    if (!links) {
      return db.select(fields).from(alias(table, main)).where(and(range, filters)).$dynamic()
    }
    const members = db.select(fields).from(alias(links.table, 'member')).$dynamic()
    return (isJoined ? members.crossJoin(alias(table, main)) : members).where(
      and(
        isJoined ? eq(inMain(id), rowId) : undefined,
        eq(columnOf('member', links.owner), at('id', links.owner)),
        links.target.notNull ? undefined : isNotNull(rowId),
        range,
        filters,
      ),
    )
  }
  const fetched = bound(at('fetched'))
  const ranges = from.after ? rangesBehind(keys) : []
  // Each range is read from an index. Of the few rows that a request names, all may be compared.
  if (ranges.length > 1 && !links && !filter.id) {
    return ranges
      .map(rows)
      .map((range) => (limitsRanges ? range.orderBy(...order).limit(fetched) : range))
      .reduce((all, range) => all.unionAll(range))
      .orderBy(...order)
      .limit(fetched)
  }
  const first = rows(or(...ranges))
    .orderBy(...order)
    .limit(fetched)
  if (offset > 0) {
    // An offset past the end would go through the whole index, and find nothing.
    const isWithin = sql`${at('offset')} < ${totalQuery(context, definition, {})}`
    const fewer = bound(sql`case when ${isWithin} then ${at('fetched')} else 0 end`)
    const isCounted = counter !== undefined && Object.keys(filter).length === 0
    first.limit(isCounted ? fewer : fetched).offset(bound(at('offset')))
  }
  if (!isPicked) {
    return first
  }
  return db
    .select(fieldsOf([...columns.map((_, index) => nameAt(index)), ...selected]))
    .from(first.as('picked'))
    .crossJoin(alias(table, main))
    .where(eq(inMain(id), nameAt(0)))
    .orderBy(...order)
}

/** The number of resources that pass the filters. */
export function totalQuery(
  { db, at }: Context,
  definition: ResourceDefinition,
  filter: Paging['filter'],
) {
  const { table, id, counter } = definition.stored
  const filters = filtersOf(definition, filter, inMain(id), at)
  return counter !== undefined && !filters
    ? db.select({ total: counters.value }).from(counters).where(eq(counters.name, counter))
    : db
        .select({ total: count().as('total') })
        .from(alias(table, main))
        .where(filters)
}

/** The condition that rows pass the filters. `id` is the column of their ids. */
function filtersOf(
  definition: ResourceDefinition,
  filter: Paging['filter'],
  id: SQLiteColumn,
  at: At,
): SQL | undefined {
  const conditions = Object.keys(filter).map((field) => {
    const wanted = at(`filter ${field}`)
    if (field === 'id') {
      return among(id, wanted)
    }
    const { column } = storedAttribute(definition, field)
    const holds = among(inMain(keyColumn(definition, field)), wanted)
    // The key of what has no value is the empty text, which is the key of some values, too.
    return column.notNull ? holds : and(holds, isNotNull(inMain(column)))
  })
  return and(...conditions)
}

/** The keys of the order of a page: those of the sort up to the first unique one, and the id where none is unique. */
function keysOf(definition: ResourceDefinition, sort: Paging['sort'], id: SQLiteColumn, at: At) {
  const unique = sort.findIndex(({ field }) => storedAttribute(definition, field).unique)
  const byId = { field: 'id', descending: false }
  const keys = unique < 0 ? [...sort, byId] : sort.slice(0, unique + 1)
  return keys.map(({ field, descending }, index) => {
    const column = field === 'id' ? id : inMain(keyColumn(definition, field))
    return { column, descending, after: at(`after ${index}`, column) }
  })
}

/**
 * The rows behind the row before the page, in ranges that have no row in common. Each is one range of an index: rows that are equal in
 * the first keys, and past the next one.
 */
function rangesBehind(keys: ReturnType<typeof keysOf>): (SQL | undefined)[] {
  return keys.map(({ column, descending, after }, index) =>
    and(
      ...keys.slice(0, index).map((key) => eq(key.column, key.after)),
      descending ? lt(column, after) : gt(column, after),
    ),
  )
}
