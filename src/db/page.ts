import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  lt,
  or,
  type SQL,
  type SQLWrapper,
  type Subquery,
  sql,
  sum,
} from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { among, db, limitsRanges, picksIdsFirst, type Query, unindexed } from '#engine'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { From } from '../jsonapi/run/port.ts'
import { columnOf, fieldsOf } from './cells.ts'
import { counters, rowsOfCounter } from './counters.ts'
import { filterKey, keyColumn, storedAttribute, type storedMembers } from './stored.ts'

/** A page of resources, or of the members of a relationship. */
export type Paging = Exclude<From, { readonly kind: 'ids' }>

/** The alias of the table of the resources that are read. */
export const main = 'main'

/** How many selects a union may have: [D1 allows](https://github.com/cloudflare/workerd/blob/main/src/workerd/util/sqlite.c++) five. */
const maxInUnion = 5

const inMain = (column: SQLiteColumn): SQLiteColumn => columnOf(main, column)

/**
 * The limit or the offset of a select. If it is a plain parameter, SQLite compiles the statement anew for each value
 * (`sqlite3ExprIsInteger` in https://github.com/sqlite/sqlite/blob/master/src/expr.c).
 */
const bound = (value: SQLWrapper) => sql`cast(${value} as integer)` as SQL & number

/** The limit of a page: one row more than it shows. */
const fetched = bound(sql.placeholder('fetched'))

const inMember = (column: SQLiteColumn): SQLiteColumn => columnOf('member', column)

/**
 * A page of a collection, by keyset pagination. A row has the id, the sort keys, and what is selected of the resource.
 */
export function collectionPage(
  definition: ResourceDefinition,
  from: Extract<Paging, { readonly kind: 'page' }>,
  selected: readonly SQLWrapper[],
): Query {
  const { table, id } = definition.stored
  const columns = [inMain(id), ...sortedBy(definition, from)]
  const { ranges, order } = keysetOf(definition, from, inMain(id), 1)
  const filters = filtersOf(definition, from.filter, inMain(id))
  // Each range is read from an index, unless the request names ids: then its few rows can all be compared.
  const isUnion = ranges.length > 1 && !from.filter.id
  const isSkipping = from.offset > 0
  // A database may evaluate what is selected for each row that it skips or compares.
  const isPicked = picksIdsFirst && (isUnion || isSkipping)
  const fields = fieldsOf(isPicked ? columns : [...columns, ...selected])
  const rowsIn = (range: SQL | undefined) =>
    db.select(fields).from(alias(table, main)).where(and(range, filters)).$dynamic()
  const first = (rows: ReturnType<typeof rowsIn>) => rows.orderBy(...order).limit(fetched)
  const parts = (isUnion ? ranges : [or(...ranges)]).map(rowsIn)
  const limited = limitsRanges && isUnion ? parts.map(first) : parts
  const page = first(limited.reduce((all, part) => all.unionAll(part)))
  if (isSkipping) {
    page.limit(fetchedWithin(definition, filters)).offset(bound(sql.placeholder('offset')))
  }
  return isPicked ? withSelected(definition, page, columns.length, selected, order) : page
}

/**
 * A page of the members of a relationship, by keyset pagination. A row has the columns of the member, the sort keys, and what is selected of
 * the resource.
 *
 * @param storage where the members of the relationship are stored
 */
export function membersPage(
  definition: ResourceDefinition,
  from: Paging,
  selected: readonly SQLWrapper[],
  storage: ReturnType<typeof storedMembers>,
): Query {
  const { sort, filter } = from
  const { table, id } = definition.stored
  const target = inMember(storage.target)
  const columns = [...storage.columns.map(inMember), ...sortedBy(definition, from).map(unindexed)]
  const { ranges, order } = keysetOf(definition, from, target, storage.columns.length)
  const isCompared = sort.length > 0 || Object.keys(filter).some((name) => name !== 'id')
  const isJoined = selected.length > 0 || isCompared
  // To sort, the database reads the sort keys of every member, but only a page of the rest.
  const isPicked = sort.length > 0 && selected.length > 0
  const members = db
    .select(fieldsOf(isPicked ? columns : [...columns, ...selected]))
    .from(alias(storage.table, 'member'))
    .$dynamic()
  const page = (isJoined ? members.crossJoin(alias(table, main)) : members)
    .where(
      and(
        isJoined ? eq(inMain(id), target) : undefined,
        eq(inMember(storage.owner), sql.placeholder('id')),
        storage.target.notNull ? undefined : isNotNull(target),
        or(...ranges),
        filtersOf(definition, filter, target),
      ),
    )
    .orderBy(...order)
    .limit(fetched)
  return isPicked ? withSelected(definition, page, columns.length, selected, order) : page
}

/** Adds what is selected of each resource to a page that has only its first columns. */
function withSelected(
  { stored: { table, id } }: ResourceDefinition,
  page: { as(name: 'picked'): Subquery },
  width: number,
  selected: readonly SQLWrapper[],
  order: readonly SQL[],
): Query {
  const columns = Array.from({ length: width }, (_, index) => pickedAt(index))
  return db
    .select(fieldsOf([...columns, ...selected]))
    .from(page.as('picked'))
    .crossJoin(alias(table, main))
    .where(eq(inMain(id), pickedAt(0)))
    .orderBy(...order)
}

/** The column at an index, by the name that {@link fieldsOf} gives it. */
const nameAt = (index: number) => sql.identifier(`c${index}`)

/** The same column of the picked rows. It has their alias, because a table can have a column of that name. */
const pickedAt = (index: number) => sql`${sql.identifier('picked')}.${nameAt(index)}`

/** How many rows are read from an offset on. Past the end none, because the database would go through the whole index in vain. */
function fetchedWithin(definition: ResourceDefinition, filters: SQL | undefined) {
  if (definition.stored.counter === undefined || filters) {
    return fetched
  }
  const isWithin = sql`${sql.placeholder('offset')} < ${totalQuery(definition, {})}`
  return bound(sql`case when ${isWithin} then ${sql.placeholder('fetched')} else 0 end`)
}

/** The number of resources that pass the filters. */
export function totalQuery(definition: ResourceDefinition, filter: Paging['filter']) {
  const { table, id, counter } = definition.stored
  const filters = filtersOf(definition, filter, inMain(id))
  return counter !== undefined && !filters
    ? db
        .select({ total: sum(counters.value).as('total') })
        .from(counters)
        .where(inArray(counters.name, [...rowsOfCounter(counter)]))
    : db
        .select({ total: count().as('total') })
        .from(alias(table, main))
        .where(filters)
}

/** The condition that rows pass the filters. `id` is the column of their ids. */
function filtersOf(definition: ResourceDefinition, filter: Paging['filter'], id: SQLiteColumn) {
  const conditions = Object.entries(filter).map(([field, [text = '']]) => {
    const own = definition.filters?.[field]
    if (own) {
      return own.stored.condition(main, text)
    }
    const key = field === 'id' ? id : inMain(keyColumn(definition, field))
    const keyIn = (text: string) => filterKey(definition, field, text)
    const holds = among(key, sql.placeholder(`filter ${field}`), keyIn)
    const column = field === 'id' ? undefined : storedAttribute(definition, field).column
    // Without a value, the sort key is the empty text. Some values have that sort key, too.
    return column?.notNull === false ? and(holds, isNotNull(inMain(column))) : holds
  })
  return and(...conditions)
}

/** The columns that a page is sorted by. */
function sortedBy(definition: ResourceDefinition, { sort }: Paging): SQLiteColumn[] {
  return sort.map(({ field }) => inMain(keyColumn(definition, field)))
}

/**
 * The order of a page, and the rows after the page before, as ranges of an index that do not overlap: rows that are equal in the first keys
 * and greater in the next. The keys are the sort keys up to the first unique one, or all of them and the id.
 *
 * @param width how many columns stand before those of the sort; the first one is the id
 */
function keysetOf(
  definition: ResourceDefinition,
  { sort, after }: Paging,
  id: SQLiteColumn,
  width: number,
) {
  const unique = sort.findIndex(({ field }) => storedAttribute(definition, field).unique)
  const byId = { field: 'id', descending: false }
  const sorts = unique < 0 ? [...sort, byId] : sort.slice(0, unique + 1)
  const keys = sorts.map(({ field, descending }, index) => {
    const column = field === 'id' ? id : inMain(keyColumn(definition, field))
    return { column, descending, value: sql.placeholder(`after ${index}`) }
  })
  const ranges = keys.map(({ column, descending, value }, index) =>
    and(
      ...keys.slice(0, index).map((key) => eq(key.column, key.value)),
      descending ? lt(column, value) : gt(column, value),
    ),
  )
  const order = keys.map(({ descending }, index) => {
    const name = nameAt(index < sort.length ? width + index : 0)
    return descending ? desc(name) : asc(name)
  })
  if (ranges.length > maxInUnion) {
    // The last ranges have few rows: those with the same values of all earlier keys.
    ranges.push(or(...ranges.splice(maxInUnion - 1)))
  }
  return { ranges: after ? ranges : [], order }
}
