import { aliasedTableColumn, asc, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Database, jsonArray, jsonGroup } from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { Linkage, Read, ResourceRecord, Selection } from '../jsonapi/run/port.ts'
import type { Cipher } from './cipher.ts'
import { linksOf, sealContext, storedAttribute, textOf } from './stored.ts'

/** What the decoding of rows needs and collects. */
export interface Collected {
  readonly cipher: Cipher
  /** The related resources, each once, by the relationship that leads to them and their id. */
  readonly related: Map<string, ResourceRecord>
  /** Sealed values that are being decrypted. */
  readonly decrypting: Promise<void>[]
}

/** What is selected of a resource: the columns of a row, or the items of a JSON array. The first one is the id. */
export interface Cells {
  readonly selected: readonly SQLWrapper[]
  /** Makes the resource of its values, as the driver gives them. They begin at `start`. */
  readonly decode: (values: readonly unknown[], into: Collected, start?: number) => ResourceRecord
}

/** An attribute or a relationship: what is selected, and how its value gets into the resource. */
interface Cell {
  readonly selected: SQLWrapper
  readonly put: (
    resource: ResourceRecord & {
      readonly attributes: Record<string, unknown>
      readonly linkage: Record<string, Linkage>
    },
    value: unknown,
    into: Collected,
  ) => void
}

/** Gives a value of a read in a query, encoded as the column holds it: the value itself, or its placeholder. */
export type At = (name: string, column?: SQLiteColumn) => SQLWrapper

/** What cells are made with. */
export interface Context {
  readonly db: Database
  readonly registry: Registry
  readonly at: At
  /** How many members of a relationship are read with a resource. */
  readonly maxMembers: number
}

/** A relationship whose targets are read with the resources. */
type Edge = Read['alongside'][number]

/** A column of a table under an alias. */
export const columnOf = (name: string, column: SQLiteColumn): SQLiteColumn =>
  aliasedTableColumn(column, name)

/** The columns of a row. Each has a name of its own, by which other queries can refer to it. */
export function fieldsOf(selected: readonly SQLWrapper[]): Record<string, SQL.Aliased> {
  return Object.fromEntries(
    selected.map((each, index) => [`c${index}`, sql`${each}`.as(`c${index}`)]),
  )
}

/**
 * The cells of a resource.
 *
 * @param table the alias of the table of the type
 * @param edges relationships whose targets are read, too, unless they are reference data, which are in memory
 * @param revision is selected, too
 */
export function cellsOf(
  context: Context,
  definition: ResourceDefinition,
  table: string,
  show: Selection,
  edges: readonly Edge[] = [],
  revision: SQLiteColumn | undefined = undefined,
): Cells {
  const { type, stored } = definition
  const column = (each: SQLiteColumn): SQLiteColumn => columnOf(table, each)
  const owned = stored.owner
    ? eq(column(stored.owner), context.at('viewer', stored.owner))
    : sql`false`
  const source = { ...context, definition, columnIn: column, edges }
  const cells = [
    ...show.attributes.map((name) => attributeCell(source, name)),
    ...show.ownAttributes.map((name) => attributeCell(source, name, owned)),
    ...show.relationships.map((name) => linkageCell(source, name)),
  ]
  return {
    selected: [
      column(stored.id),
      owned,
      ...cells.map(({ selected }) => selected),
      ...(revision ? [column(revision)] : []),
    ],
    decode: (values, into, start = 0) => {
      const resource = {
        type,
        id: values[start] as string,
        owned: Boolean(values[start + 1]),
        attributes: {},
        linkage: {},
        revision: revision && (values[start + 2 + cells.length] as string),
      }
      let index = start + 2
      for (const { put } of cells) {
        put(resource, values[index++], into)
      }
      return resource
    },
  }
}

/** Where a resource is selected from: `columnIn` gives a column of its table under the alias. */
interface Source extends Context {
  readonly definition: ResourceDefinition
  readonly columnIn: (column: SQLiteColumn) => SQLiteColumn
  readonly edges: readonly Edge[]
}

/** @param owned the attribute is selected only where this holds */
function attributeCell({ definition, columnIn }: Source, name: string, owned?: SQL): Cell {
  const { column, as } = storedAttribute(definition, name)
  const selected = columnIn(column)
  return {
    selected: owned ? sql`case when ${owned} then ${selected} end` : selected,
    put: ({ type, id, attributes }, stored, { cipher, decrypting }) => {
      const value = stored === null ? null : column.mapFromDriverValue(stored)
      const plain = value instanceof Date ? textOf(value) : value
      attributes[name] = as === 'json' && value !== null ? { json: value } : plain
      if (as === 'sealed' && value !== null) {
        const opened = cipher.decrypt(value as string, sealContext(type, id, name))
        const put = (text: string): void => {
          attributes[name] = text
        }
        decrypting.push(opened.then(put))
      }
    },
  }
}

/** The first members of a relationship, with their targets where there is an edge. */
function linkageCell(source: Source, name: string): Cell {
  const { db, registry, maxMembers, definition, columnIn, edges } = source
  const { table, owner, target, isMany, columns, memberOf } = linksOf(definition, name)
  const column = isMany ? (each: SQLiteColumn) => columnOf('few', each) : columnIn
  const edge = edges.find((each) => each.relationship === name)
  const isRead = edge && !registry.get(edge.target).snapshot
  const included = isRead ? targetCell(source, edge, column(target)) : undefined
  const parts: SQLWrapper[] = columns.map(column)
  const item = included ? jsonArray([...parts, included.selected]) : jsonArray(parts)
  const few = db
    .select(Object.fromEntries(columns.map((each) => [each.name, each])))
    .from(table)
    .where(eq(owner, columnIn(definition.stored.id)))
    .orderBy(asc(target))
    // SQLite prepares a statement with a bound limit anew each time.
    .limit(sql.raw(`${maxMembers + 1}`) as SQL & number)
    .as('few')
  const one = included ? item : column(target)
  return {
    selected: isMany ? db.select({ members: jsonGroup(item) }).from(few) : one,
    put: (resource, value, into) => {
      const only = isMany ? [] : included ? arrayIn(value) : [value]
      const rows = isMany ? (arrayIn(value) as unknown[][]) : only[0] === null ? [] : [only]
      const { shown, more } = firstOf(rows, maxMembers)
      resource.linkage[name] = { members: shown.map(memberOf), more }
      for (const row of included ? shown : []) {
        included?.put(resource, row[columns.length], into)
      }
    },
  }
}

/** D1 allows so many arguments of a function. */
const maxArguments = 32

/** The target of a relationship whose id is in a column of the rows around it: its cells, in JSON arrays. */
function targetCell(context: Context, { relationship, target, show }: Edge, id: SQLWrapper): Cell {
  const definition = context.registry.get(target)
  const { stored } = definition
  const { selected, decode } = cellsOf(context, definition, 'target', show)
  const arrays = Array.from({ length: Math.ceil(selected.length / maxArguments) }, (_, index) =>
    jsonArray(selected.slice(index * maxArguments, (index + 1) * maxArguments)),
  )
  return {
    selected: context.db
      .select({ target: jsonArray(arrays) })
      .from(alias(stored.table, 'target'))
      .where(eq(columnOf('target', stored.id), id)),
    put: (_, value, into) => {
      const values = value === null ? [] : arrayIn(value).flat()
      const key = `${relationship}/${values[0]}`
      if (values.length > 0 && !into.related.has(key)) {
        into.related.set(key, decode(values, into))
      }
    },
  }
}

/** A JSON array, which a driver gives as its text or as an array. */
function arrayIn(value: unknown): unknown[] {
  return typeof value === 'string' ? JSON.parse(value) : (value as unknown[])
}

/** The rows that a page shows, and whether others follow. */
export function firstOf<Row>(rows: readonly Row[], limit = Number.POSITIVE_INFINITY) {
  const more = rows.length > limit
  return { shown: more ? rows.slice(0, limit) : rows, more }
}
