import { type SQL, sql } from 'drizzle-orm'
import type { SortKey } from '../jsonapi/query.ts'
import type { ToMany } from '../jsonapi/resource.ts'
import {
  type Alongside,
  type From,
  linkageLimit,
  type Read,
  type Selection,
} from '../jsonapi/store.ts'
import { pageOf, totalOf } from './page-sql.ts'
import {
  keyColumn,
  metaColumns,
  type StoredDefinition,
  type StoredRegistry,
  type StoredType,
  storedAttribute,
  storedRelationship,
  type Tables,
} from './source.ts'
import { all, at, bare, commas, compile, each, nameOf, param, type Statement } from './statement.ts'

/** What a row of a read is about: the first column of every row. */
export const slots = { total: -1, record: 0, link: 1, related: 2 } as const

/** Ids are of the unreserved characters of URLs: each of them sorts before DEL. */
const afterEveryId = sql.raw('char(127)')

/** What comes with each resource of a read. */
export interface Extent {
  readonly alongside: readonly Alongside[]
  /** How many members of a to-many relationship; one more tells that there are more. Infinity: all. */
  readonly members: number
}

/**
 * One statement for a whole read: the page or the linkage, the linkage inside each resource, the total, and
 * the targets of relationships. Each row begins with its slot; `related + n` holds targets of the nth
 * relationship. All branches have the same number of columns. Where there is but one, it stands alone: SQLite takes a
 * fifth longer to get ready for the parts of a union.
 */
export function readStatement(
  registry: StoredRegistry,
  { type, from, select }: Read,
  { alongside, members }: Extent,
): Statement {
  const definition = registry.get(type)
  const source = definition.stored
  const isLinkage = from.kind === 'linkage'
  const sort = from.kind === 'page' ? from.sort : []
  const total = from.kind === 'page' && from.total ? [totalOf(definition, from.filter)] : []
  // The rows of a page tell the total, in their last column, but a page behind the first may have none.
  const isFirst = from.kind === 'page' && from.offset === 0 && !from.after
  const [totalWithin, totalApart] = isFirst ? [total, []] : [[], total]
  const own = isLinkage
    ? [at('p', source.id)]
    : [...recordColumns('p', definition, select, sort, members), ...totalWithin]
  const link = isLinkage ? linkColumns(definition, from.relationship) : []
  const targets = alongside.map((each) =>
    recordColumns('t', registry.get(each.target), each.select, [], members),
  )
  const width = Math.max(own.length, link.length, ...targets.map((columns) => columns.length))
  const names = commas(Array.from({ length: width }, (_, index) => sql.raw(`c${index}`)))
  const pad = (columns: readonly SQL[]): SQL =>
    commas([...columns, ...Array.from({ length: width - columns.length }, () => sql`NULL`)])

  const rows = (columns: SQL): SQL =>
    from.kind === 'page' ? pageOf(definition, from, columns) : itemsOf(source, from, columns)
  if (!isLinkage && totalApart.length === 0 && alongside.length === 0) {
    const named = own.map((column, index) => sql`${column} AS ${sql.raw(`c${index}`)}`)
    return compile(rows(commas([sql`${slot('record')} AS slot`, ...named])))
  }
  const branches = [sql`SELECT ${slot('record')} AS slot, page.* FROM page`]
  const tables = [
    sql`page(${names}) AS ${alongside.length > 0 ? sql`MATERIALIZED ` : sql``}(${rows(pad(own))})`,
  ]
  if (isLinkage) {
    tables.push(sql`links(${names}) AS MATERIALIZED (${linksOf(definition, from, pad(link))})`)
    branches.push(sql`SELECT ${slot('link')}, links.* FROM links`)
  }
  if (totalApart.length > 0) {
    branches.push(sql`SELECT ${slot('total')}, ${pad(totalApart)}`)
  }
  alongside.forEach(({ relationship, target }, index) => {
    const { stored: targetSource } = registry.get(target)
    const ids = isLinkage
      ? sql`SELECT c0 AS id FROM links LIMIT ${param('limit')}`
      : idsOf(definition, relationship)
    // The page holds one row more than is shown: that one may come along.
    const shown = sql`SELECT c0 FROM page LIMIT ${param('limit')}`
    const inPage =
      isLinkage || target !== type ? [] : [sql`${at('t', targetSource.id)} NOT IN (${shown})`]
    branches.push(
      sql`SELECT ${slot('related', index)}, ${pad(targets[index] ?? [])} FROM (${ids}) AS w
        CROSS JOIN ${nameOf(targetSource.table)} AS t ON ${at('t', targetSource.id)} = w.id
        WHERE ${all(inPage)}`,
    )
  })
  return compile(sql`WITH ${commas(tables)} ${sql.join(branches, sql` UNION ALL `)}`)
}

/** The columns of a resource: id, owned, attributes, own attributes, relationships, sort keys. */
function recordColumns(
  alias: string,
  definition: StoredDefinition,
  { attributes, ownAttributes, relationships }: Selection,
  sort: readonly SortKey[],
  members: number,
): SQL[] {
  const source = definition.stored
  const owned = source.owner ? sql`${at(alias, source.owner)} = ${param('viewer')}` : sql`0`
  const column = (name: string): SQL => at(alias, storedAttribute(definition, name).column)
  return [
    at(alias, source.id),
    owned,
    ...attributes.map(column),
    ...ownAttributes.map((name) => sql`CASE WHEN ${owned} THEN ${column(name)} END`),
    ...relationships.map((name) => {
      const relationship = storedRelationship(definition, name)
      return relationship.cardinality === 'many'
        ? membersOf(at(alias, source.id), relationship, members)
        : at(alias, relationship.stored)
    }),
    ...sort.map(({ field }) => at(alias, keyColumn(definition, field))),
  ]
}

/**
 * The first members of a to-many relationship as text: `id:meta,id:meta`, one more than are shown. Their number
 * stands in the text: SQLite takes several times as long over a limit that is a parameter.
 */
function membersOf(ownerId: SQL, relationship: ToMany<Tables>, members: number): SQL {
  const link = relationship.stored
  const limit = sql.raw(String(Number.isFinite(members) ? members + 1 : -1))
  const parts = [link.target, ...metaColumns(relationship).map(([, column]) => column)].map(bare)
  return sql`(SELECT group_concat(m) FROM (SELECT ${sql.join(parts, sql` || ':' || `)} AS m
    FROM ${nameOf(link.table)} WHERE ${bare(link.owner)} = ${ownerId}
    ORDER BY ${bare(link.target)} LIMIT ${limit}))`
}

/** The ids that the shown linkage of the page points to. */
function idsOf(definition: StoredDefinition, name: string): SQL {
  const source = definition.stored
  const { cardinality, stored } = storedRelationship(definition, name)
  const page = sql`(SELECT c0 AS id FROM page LIMIT ${param('limit')}) AS p`
  if (cardinality === 'one') {
    return sql`SELECT DISTINCT ${at('s', stored)} AS id FROM ${page}
      CROSS JOIN ${nameOf(source.table)} AS s ON ${at('s', source.id)} = p.id`
  }
  const last = sql`SELECT ${bare(stored.target)} FROM ${nameOf(stored.table)}
    WHERE ${bare(stored.owner)} = p.id ORDER BY ${bare(stored.target)}
    LIMIT 1 OFFSET ${sql.raw(String(linkageLimit - 1))}`
  return sql`SELECT DISTINCT ${at('l', stored.target)} AS id FROM ${page}
    CROSS JOIN ${nameOf(stored.table)} AS l ON ${at('l', stored.owner)} = p.id
    AND ${at('l', stored.target)} <= coalesce((${last}), ${afterEveryId})`
}

function itemsOf(source: StoredType, from: Exclude<From, { kind: 'page' }>, columns: SQL): SQL {
  const table = sql`${nameOf(source.table)} AS p`
  return from.kind === 'linkage' || from.ids.length === 1
    ? sql`SELECT ${columns} FROM ${table} WHERE ${at('p', source.id)} = ${param('id')}`
    : sql`SELECT ${columns} FROM ${each('ids')} AS w CROSS JOIN ${table} ON ${at('p', source.id)} = w.value`
}

function linkColumns(definition: StoredDefinition, name: string): SQL[] {
  const relationship = storedRelationship(definition, name)
  return relationship.cardinality === 'many'
    ? [relationship.stored.target, ...metaColumns(relationship).map(([, column]) => column)].map(
        (column) => at('l', column),
      )
    : [at('l', relationship.stored)]
}

function linksOf(
  definition: StoredDefinition,
  from: From & { kind: 'linkage' },
  columns: SQL,
): SQL {
  const source = definition.stored
  const { cardinality, stored } = storedRelationship(definition, from.relationship)
  if (cardinality === 'one') {
    return sql`SELECT ${columns} FROM ${nameOf(source.table)} AS l
      WHERE ${at('l', source.id)} = ${param('id')} AND ${at('l', stored)} IS NOT NULL`
  }
  const target = at('l', stored.target)
  const after = from.after === undefined ? [] : [sql`${target} > ${param('after0')}`]
  return sql`SELECT ${columns} FROM ${nameOf(stored.table)} AS l
    WHERE ${all([sql`${at('l', stored.owner)} = ${param('id')}`, ...after])}
    ORDER BY ${target} LIMIT ${param('fetch')}`
}

function slot(name: keyof typeof slots, index = 0): SQL {
  return sql.raw(String(slots[name] + index))
}
