import { and, asc, desc, eq, gt, isNotNull, lt, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { among, listOf } from '#engine'
import { comparedBy } from '../jsonapi/declare/readable.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { SortKey } from '../jsonapi/request/query.ts'
import type { From, ResourceRecord } from '../jsonapi/run/store.ts'
import { columnValue, keyColumn, keyOf, storedAttribute } from './stored.ts'

// What a page is: which rows pass its filters, their order, and how many it shows. Resources in memory use the same filters and limits.

/** A page of resources, or of the members of a relationship. */
export type Paging = Exclude<From, { readonly kind: 'ids' }>

/** The values of a read by name. */
export type Values = Readonly<Record<string, unknown>>

/** Gives a value of a read in a query, encoded as the column holds it: the value itself, or its placeholder. */
export type At = (name: string, column?: SQLiteColumn) => SQLWrapper

/** The values of a page: its offset, its limit, its filters, and the keys of the row before it. */
export function pageValues(definition: ResourceDefinition, from: Paging): Values {
  const keys = [...from.sort.map(({ field }) => field), 'id']
  const after = keys.map((field, index) => [
    `after ${index}`,
    columnValue(keyColumn(definition, field), from.after?.[index] ?? ''),
  ])
  return {
    id: from.kind === 'linkage' ? from.id : from.of?.id,
    offset: from.kind === 'page' ? from.offset : 0,
    fetched: fetchedFor(from.limit),
    ...(from.after && Object.fromEntries(after)),
    ...Object.fromEntries(
      Object.entries(from.filter).map(([name, texts]) => {
        const { field } = comparedBy(name)
        const column = keyColumn(definition, field)
        const keys = texts.map((text) => columnValue(column, keyOf(definition, field, text)))
        return [`filter ${name}`, listOf(column, keys)]
      }),
    ),
  }
}

/** The text that stands for a value of a column. */
export function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}

/** The limit of a page that shows all rows. */
const everyRow = 2 ** 31 - 1

/** How many rows a page of `limit` rows reads: one more, to see whether others follow. */
function fetchedFor(limit: number | undefined): number {
  return limit === undefined ? everyRow : limit + 1
}

/** The rows that a page shows, and whether others follow. */
export function firstOf<Row>(
  rows: readonly Row[],
  limit: number | undefined,
): { readonly shown: readonly Row[]; readonly more: boolean } {
  const more = limit !== undefined && rows.length > limit
  return { shown: more ? rows.slice(0, limit) : rows, more }
}

/** The conditions that rows pass the filters. `column` gives a column of the rows, `id` is the column of their ids. */
export function filterConditions(
  definition: ResourceDefinition,
  filter: Paging['filter'],
  id: SQLiteColumn,
  column: (column: SQLiteColumn) => SQLiteColumn,
  at: At,
): (SQL | undefined)[] {
  return Object.keys(filter).map((name) => {
    const { field } = comparedBy(name)
    const wanted = at(`filter ${name}`)
    if (field === 'id') {
      return among(id, wanted)
    }
    const stored = storedAttribute(definition, field)
    const holds = among(column(keyColumn(definition, field)), wanted)
    // The key of what has no value is the empty text, which is the key of some values, too.
    return stored.column.notNull ? holds : and(holds, isNotNull(column(stored.column)))
  })
}

/** Gives the function that says whether a resource in memory passes the filters. */
export function passes(
  definition: ResourceDefinition,
  filter: Paging['filter'],
): (resource: Pick<ResourceRecord, 'id' | 'attributes'>) => boolean {
  const conditions = Object.entries(filter).map(([name, texts]) => {
    const { field } = comparedBy(name)
    const column = keyColumn(definition, field)
    const keyTextOf = (text: string) => textOf(columnValue(column, keyOf(definition, field, text)))
    const wanted = new Set(texts.map(keyTextOf))
    return ({ id, attributes }: Pick<ResourceRecord, 'id' | 'attributes'>): boolean => {
      const value = field === 'id' ? id : attributes[field]
      return value != null && wanted.has(keyTextOf(textOf(value)))
    }
  })
  return (resource) => conditions.every((holds) => holds(resource))
}

/** One key of the order of a page. */
export interface OrderKey {
  readonly column: SQLiteColumn
  readonly descending: boolean
  /** The value of the key in the row before the page. */
  readonly after: SQLWrapper
}

/**
 * The keys of the order of a page: those of the sort up to the first unique one, and the id where none is unique.
 *
 * @param id the column of the ids of the rows
 * @param column gives a column of the rows
 */
export function orderKeys(
  definition: ResourceDefinition,
  sort: readonly SortKey[],
  id: SQLiteColumn,
  column: (column: SQLiteColumn) => SQLiteColumn,
  at: At,
): OrderKey[] {
  const unique = sort.findIndex(({ field }) => storedAttribute(definition, field).unique)
  const sorted = unique < 0 ? sort : sort.slice(0, unique + 1)
  const keys = sorted.map(({ field, descending }, index): OrderKey => {
    const key = keyColumn(definition, field)
    return { column: column(key), descending, after: at(`after ${index}`, key) }
  })
  const last = { column: id, descending: false, after: at(`after ${keys.length}`, id) }
  return unique < 0 ? [...keys, last] : keys
}

/** The order of a page. `expression` gives what stands for a column in it. */
export function orderBy(
  keys: readonly OrderKey[],
  expression: (column: SQLiteColumn, index: number) => SQLWrapper = (column) => column,
): SQL[] {
  return keys.map(({ column, descending }, index) =>
    (descending ? desc : asc)(expression(column, index)),
  )
}

/**
 * The rows behind the row before the page, in ranges that have no row in common. Each is one range of an index: rows that are equal in
 * the first keys, and past the next one.
 */
export function rangesBehind(keys: readonly OrderKey[]): (SQL | undefined)[] {
  return keys.map(({ column, descending, after }, index) =>
    and(
      ...keys.slice(0, index).map((key) => eq(key.column, key.after)),
      descending ? lt(column, after) : gt(column, after),
    ),
  )
}
