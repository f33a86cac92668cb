import { aliasedTableColumn, asc, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { db, jsonArray, jsonGroup } from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import {
  type Linkage,
  linkageLimit,
  type Read,
  type ResourceRecord,
  type Selection,
} from '../jsonapi/run/port.ts'
import type { Cipher } from '../lib/key-ring.ts'
import {
  type ComputedAttribute,
  isComputed,
  isTime,
  sealContext,
  storedAttribute,
  storedMembers,
  textOf,
} from './stored.ts'

/** What is needed to decode rows, and what is collected from them beside their resources. */
export interface Collected {
  readonly cipher: Cipher
  /** The related resources by relationship and id. */
  readonly related: Map<string, ResourceRecord>
  /** Sealed values that are being decrypted. */
  readonly decrypting: Promise<void>[]
}

/** A resource that is being filled. */
type MutableRecord = ResourceRecord & {
  readonly attributes: Record<string, unknown>
  readonly linkage: Record<string, Linkage>
  revision?: string
}

/** One part of a resource: what is selected of it, and how its value is put into the resource. */
interface Cell {
  readonly selected: SQLWrapper
  readonly put: (resource: MutableRecord, value: unknown, into: Collected) => void
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
 * @param edges relationships whose targets are read, too. Targets that are reference data are not: they are in memory
 * @param maxMembers how many members of a relationship are read
 * @param isOne is one resource read? Then its revision is read, too
 */
export function cellsOf(
  registry: Registry,
  definition: ResourceDefinition,
  table: string,
  show: Selection,
  { edges = [] as readonly Edge[], maxMembers = linkageLimit, isOne = false } = {},
) {
  const { type, stored } = definition
  const owned = stored.owner
    ? eq(columnOf(table, stored.owner), sql.placeholder('viewer'))
    : sql`false`
  const linkageCell = (name: string): Cell => {
    const storage = storedMembers(definition, name)
    const edge = edges.find(({ relationship }) => relationship === name)
    const readEdge = registry.get(storage.type).snapshot ? undefined : edge
    return storage.isMany
      ? membersCell(registry, storage, columnOf(table, stored.id), name, maxMembers, readEdge)
      : memberCell(registry, columnOf(table, storage.target), name, readEdge)
  }
  const cells = [
    ...show.attributes.map((name) => attributeCell(definition, table, name)),
    ...show.ownAttributes.map((name) => attributeCell(definition, table, name, owned)),
    ...show.relationships.map(linkageCell),
  ]
  if (isOne && stored.revision) {
    cells.push({
      selected: columnOf(table, stored.revision),
      put: (resource, value) => {
        resource.revision = value as string
      },
    })
  }
  return {
    /** The columns of a row, or the items of a JSON array. The first one is the id. */
    selected: [columnOf(table, stored.id), owned, ...cells.map(({ selected }) => selected)],
    /** Makes the resource from its values, as the driver gives them. They begin at `start`. */
    decode(values: readonly unknown[], into: Collected, start = 0): ResourceRecord {
      const [id, isOwned] = [values[start] as string, Boolean(values[start + 1])]
      const resource = { type, id, owned: isOwned, attributes: {}, linkage: {} }
      let index = start + 2
      for (const { put } of cells) {
        put(resource, values[index++], into)
      }
      return resource
    },
  }
}

/** @param owned a condition: other rows have null in place of the attribute */
function attributeCell(definition: ResourceDefinition, table: string, name: string, owned?: SQL) {
  const stored = definition.attributes[name]?.stored
  const { selected, put } =
    stored && isComputed(stored)
      ? computedCell(table, name, stored)
      : columnCell(definition, table, name)
  return { selected: owned ? sql`case when ${owned} then ${selected} end` : selected, put }
}

/** A computed attribute: its columns are read as one JSON array. */
function computedCell(table: string, name: string, { columns, value }: ComputedAttribute): Cell {
  const all = Object.entries(columns)
  return {
    selected: jsonArray(all.map(([, column]) => columnOf(table, column))),
    put: ({ attributes }, stored) => {
      if (stored !== null) {
        const values = arrayIn(stored)
        const row = all.map(([key, column], index) => {
          const each = values[index]
          return [key, each === null ? null : column.mapFromDriverValue(each)] as const
        })
        const isHeld = row.every(([, each]) => !(each instanceof Date) || isTime(each))
        attributes[name] = isHeld ? (value(Object.fromEntries(row)) ?? null) : null
      }
    },
  }
}

function columnCell(definition: ResourceDefinition, table: string, name: string): Cell {
  const { column, as } = storedAttribute(definition, name)
  return {
    selected: columnOf(table, column),
    put: ({ type, id, attributes }, stored, { cipher, decrypting }) => {
      const value = stored === null ? null : column.mapFromDriverValue(stored)
      // Another program may have written a time that documents cannot hold.
      const plain = value instanceof Date ? (isTime(value) ? textOf(value) : null) : value
      attributes[name] = as === 'json' && value !== null ? JSON.parse(value as string) : plain
      if (as === 'sealed' && value !== null) {
        const opened = cipher.decrypt(value as string, sealContext(type, id, name))
        const setText = (text: string): void => {
          attributes[name] = text
        }
        decrypting.push(opened.then(setText))
      }
    },
  }
}

/** The member of a to-one relationship: its id, or an array of its id and its target. */
function memberCell(registry: Registry, column: SQLiteColumn, name: string, edge?: Edge): Cell {
  const target = edge && targetCell(registry, edge, column)
  return {
    selected: target ? jsonArray([column, target.selected]) : column,
    put: (resource, value, into) => {
      const [id, targetValue] = target ? arrayIn(value) : [value]
      resource.linkage[name] = { members: id === null ? [] : [{ id: id as string }], more: false }
      if (id !== null) {
        target?.put(resource, targetValue, into)
      }
    },
  }
}

/** The first members of the to-many relationship of a resource: a JSON array that has an array for each, of its columns and its target. */
function membersCell(
  registry: Registry,
  { table, owner, target: targetId, columns, memberOf }: ReturnType<typeof storedMembers>,
  resourceId: SQLiteColumn,
  name: string,
  maxMembers: number,
  edge?: Edge,
): Cell {
  const ofMember = (column: SQLiteColumn) => columnOf('member', column)
  const ofFew = (column: SQLiteColumn) => columnOf('few', column)
  const target = edge && targetCell(registry, edge, ofFew(targetId))
  const few = db
    .select(Object.fromEntries(columns.map((each) => [each.name, ofMember(each)])))
    .from(alias(table, 'member'))
    .where(eq(ofMember(owner), resourceId))
    .orderBy(asc(ofMember(targetId)))
    // No parameter, because it is the same for all reads of a shape.
    .limit(sql.raw(`${maxMembers + 1}`) as SQL & number)
    .as('few')
  const member = jsonArray([...columns.map(ofFew), ...(target ? [target.selected] : [])])
  return {
    selected: db.select({ members: jsonGroup(member) }).from(few),
    put: (resource, value, into) => {
      const { shown, more } = firstOf(arrayIn(value) as unknown[][], maxMembers)
      resource.linkage[name] = { members: shown.map(memberOf), more }
      for (const row of target ? shown : []) {
        target?.put(resource, row[columns.length], into)
      }
    },
  }
}

/** [D1 allows](https://developers.cloudflare.com/d1/platform/limits/) 32 arguments in the call of a function. */
const maxArguments = 32

/** The target of a relationship, as JSON arrays of its cells. The outer query has its id. */
function targetCell(
  registry: Registry,
  { relationship, target, show }: Edge,
  id: SQLWrapper,
): Cell {
  const definition = registry.get(target)
  const { stored } = definition
  const { selected, decode } = cellsOf(registry, definition, 'target', show)
  const arrays = Array.from({ length: Math.ceil(selected.length / maxArguments) }, (_, index) =>
    jsonArray(selected.slice(index * maxArguments, (index + 1) * maxArguments)),
  )
  return {
    selected: db
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
