import {
  and,
  count,
  eq,
  isNotNull,
  or,
  type SQL,
  type SQLWrapper,
  type Subquery,
  sql,
} from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import {
  among,
  limitOf,
  limitsRanges,
  picksIdsFirst,
  type Query,
  type Statement,
  unindexed,
} from '#engine'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { From } from '../jsonapi/run/store.ts'
import { type Context, columnOf, fieldsOf } from './cells.ts'
import { filterConditions, orderBy, orderKeys, type Paging, rangesBehind } from './page.ts'
import { counters } from './schema.ts'
import { keyColumn, storedRelationship } from './stored.ts'

/** A page of resources. */
export type Page = From & { readonly kind: 'page' }

/** A select that can be sent with others, or kept as a text. */
export type Select = Query & { toSQL(): Statement }

/** The alias of the table of the resources that are read. */
export const main = 'main'

/** The aliases of the table of the members of a relationship, and of a query that picks ids. */
const [member, picked] = ['member', 'picked']

const inMain = (column: SQLiteColumn): SQLiteColumn => columnOf(main, column)
const nameAt = (index: number): SQLWrapper => sql.identifier(`c${index}`)

/** The limit or the offset of a select. */
const bound = (value: SQLWrapper): SQL & number => limitOf(value) as SQL & number

/** One resource by its id, or several. */
export function resourcesQuery(
  { db, at }: Context,
  { stored: { table, id } }: ResourceDefinition,
  selected: readonly SQLWrapper[],
  isOne: boolean,
): Select {
  return db
    .select(fieldsOf(selected))
    .from(alias(table, main))
    .where(isOne ? eq(inMain(id), at('id', id)) : among(inMain(id), at('ids')))
}

/** The number of resources that pass the filters. */
export function totalQuery(
  { db, at }: Context,
  definition: ResourceDefinition,
  filter: Page['filter'],
) {
  const { table, id, counter } = definition.stored
  const filters = filterConditions(definition, filter, inMain(id), inMain, at)
  return counter !== undefined && filters.length === 0
    ? db.select({ total: counters.value }).from(counters).where(eq(counters.name, counter))
    : db
        .select({ total: count().as('total') })
        .from(alias(table, main))
        .where(and(...filters))
}

/**
 * A page of a collection. A row holds the id, the keys of the sort, and what is selected.
 *
 * A page behind a row reads ranges of an index: it costs the same wherever it begins, in any mix of directions.
 */
export function collectionQuery(
  context: Context,
  definition: ResourceDefinition,
  from: Page,
  selected: readonly SQLWrapper[],
): Select {
  const { db, at } = context
  const { table, id, counter } = definition.stored
  const columns = [inMain(id), ...keyColumns(definition, from)]
  const fields = fieldsOf([...columns, ...selected])
  const filters = filterConditions(definition, from.filter, inMain(id), inMain, at)
  const keys = orderKeys(definition, from.sort, inMain(id), inMain, at)
  const ranges = from.after ? rangesBehind(keys) : []
  const [fetched, offset] = [bound(at('fetched')), bound(at('offset'))]
  const rows = (fields: Record<string, SQL.Aliased>, condition: SQL | undefined) =>
    db
      .select(fields)
      .from(alias(table, main))
      .where(and(condition, ...filters))
      .$dynamic()
  const order = orderBy(keys)
  // Of the few rows that a request names by their ids, all may be compared.
  if (ranges.length > 1 && !from.filter.id) {
    return ranges
      .map((range) => rows(fields, range))
      .map((range) => (limitsRanges ? range.orderBy(...order).limit(fetched) : range))
      .reduce((all, range) => all.unionAll(range))
      .orderBy(...orderBy(keys, (_, index) => nameAt(index < from.sort.length ? index + 1 : 0)))
      .limit(fetched)
  }
  if (from.offset === 0) {
    return rows(fields, or(...ranges))
      .orderBy(...order)
      .limit(fetched)
  }
  // An offset past the end would go through the whole index, and find nothing.
  const isCounted = counter !== undefined && filters.length === 0
  const isWithin = sql`${at('offset')} < ${totalQuery(context, definition, {})}`
  if (picksIdsFirst) {
    const ids = rows(fieldsOf(columns), isCounted ? isWithin : undefined)
    const page = ids
      .orderBy(...order)
      .limit(fetched)
      .offset(offset)
    return resourcesOf(context, definition, page, from, columns.length, selected)
  }
  const limit = bound(sql`case when ${isWithin} then ${at('fetched')} else 0 end`)
  return rows(fields, undefined)
    .orderBy(...order)
    .limit(isCounted ? limit : fetched)
    .offset(offset)
}

/**
 * A page of the members of a relationship. A row holds columns of the member, the keys of the sort, and what is selected of the target.
 * Sorted or filtered, all members of the resource may be compared.
 *
 * @param memberColumns the first one is the id, which is the only one if absent
 */
export function membersQuery(
  context: Context,
  owner: ResourceDefinition,
  target: ResourceDefinition,
  from: Omit<Paging, 'kind'> & { readonly relationship: string },
  selected: readonly SQLWrapper[],
  memberColumns?: readonly SQLiteColumn[],
): Select {
  const { db, at } = context
  const { cardinality, stored } = storedRelationship(owner, from.relationship)
  const members =
    cardinality === 'many'
      ? stored
      : { table: owner.stored.table, owner: owner.stored.id, target: stored }
  const id = columnOf(member, members.target)
  const columns = [
    ...(memberColumns ?? [members.target]).map((column) => columnOf(member, column)),
    ...keyColumns(target, from),
  ]
  const keys = orderKeys(target, from.sort, id, inMain, at)
  const isSorted = from.sort.length > 0
  const isCompared = isSorted || Object.keys(from.filter).some((name) => name !== 'id')
  // The order needs the keys of every member, but what is selected is read for the members of the page alone.
  const isPicked = isSorted && selected.length > 0
  const rows = db
    .select(fieldsOf(isPicked ? columns : [...columns, ...selected]))
    .from(alias(members.table, member))
    .$dynamic()
  const isJoined = isCompared || selected.length > 0
  const page = (isJoined ? rows.crossJoin(alias(target.stored.table, main)) : rows)
    .where(
      and(
        isJoined ? eq(inMain(target.stored.id), id) : undefined,
        eq(columnOf(member, members.owner), at('id', members.owner)),
        members.target.notNull ? undefined : isNotNull(id),
        ...filterConditions(target, from.filter, id, inMain, at),
        from.after && or(...rangesBehind(keys)),
      ),
    )
    .orderBy(...orderBy(keys, isSorted ? unindexed : undefined))
    .limit(bound(at('fetched')))
  return isPicked ? resourcesOf(context, target, page, from, columns.length, selected) : page
}

/** The resources of a page, from a query that picks so many columns: the id, and at the end the keys of the sort. */
function resourcesOf(
  { db, at }: Context,
  definition: ResourceDefinition,
  page: { as(alias: string): Subquery },
  from: Pick<Paging, 'sort'>,
  width: number,
  selected: readonly SQLWrapper[],
): Select {
  const { table, id } = definition.stored
  const names = Array.from({ length: width }, (_, index) => nameAt(index))
  const keys = orderKeys(definition, from.sort, inMain(id), inMain, at)
  return db
    .select(fieldsOf([...names, ...selected]))
    .from(page.as(picked))
    .crossJoin(alias(table, main))
    .where(eq(inMain(id), nameAt(0)))
    .orderBy(...orderBy(keys))
}

/** The columns that a page is sorted by. */
function keyColumns(
  definition: ResourceDefinition,
  { sort }: Pick<Paging, 'sort'>,
): SQLiteColumn[] {
  return sort.map(({ field }) => inMain(keyColumn(definition, field)))
}
