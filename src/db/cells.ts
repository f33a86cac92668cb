import {
  aliasedTableColumn,
  asc,
  type DriverValueDecoder,
  eq,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Database, jsonArray, jsonGroup } from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { Relationship, ResourceDefinition } from '../jsonapi/declare/resource.ts'
import {
  type Linkage,
  linkageLimit,
  type Member,
  type Read,
  type ResourceRecord,
  type Selection,
} from '../jsonapi/run/store.ts'
import type { Cipher } from './cipher.ts'
import { type At, firstOf } from './page.ts'
import { metaColumns, sealContext, storedAttribute, storedRelationship } from './stored.ts'

/** A resource that is being decoded. */
interface Draft extends ResourceRecord {
  id: string
  owned: boolean
  revision: string | undefined
  readonly attributes: Record<string, unknown>
  readonly linkage: Record<string, Linkage>
}

/** What a read decodes beside its resources. */
export interface Collected {
  readonly cipher: Cipher
  /** The related resources, each once, by the relationship that leads to them and their id. */
  readonly related: Map<string, ResourceRecord>
  /** Sealed values that are being decrypted. */
  readonly decrypting: Promise<void>[]
}

/**
 * One part of a resource: what is selected, how it is decoded, and how its value gets into the resource. The cells of a resource are the
 * columns of a row, or the items of a JSON array.
 */
export interface Cell {
  readonly selected: SQLWrapper
  readonly decoder: DriverValueDecoder<unknown, unknown>
  readonly put: (draft: Draft, value: unknown, collected: Collected) => void
}

/** What cells are made with. */
export interface Context {
  readonly db: Database
  readonly registry: Registry
  readonly at: At
  /** Are all members of a relationship read, and not only those that a resource object shows? */
  readonly allMembers: boolean
}

/** A relationship whose targets are read with the resources. */
type Edge = Read['alongside'][number]

/** A column of a table under an alias. */
export const columnOf = (name: string, column: SQLiteColumn): SQLiteColumn =>
  aliasedTableColumn(column, name)

/** A JSON array. SQLite gives a nested one as text, or as JSON. */
const json: DriverValueDecoder<unknown, unknown> = {
  mapFromDriverValue: (value) => (typeof value === 'string' ? JSON.parse(value) : value),
}

/** The columns of a row. Each has a name of its own, by which other queries can refer to it. */
export function fieldsOf(selected: readonly SQLWrapper[]): Record<string, SQL.Aliased> {
  const names = selected.map((_, index) => `c${index}`)
  return Object.fromEntries(names.map((name, index) => [name, sql`${selected[index]}`.as(name)]))
}

/** The resource whose cells have these values from `start` on, as the driver gives them. */
export function recordOf(
  type: string,
  cells: readonly Cell[],
  values: readonly unknown[],
  collected: Collected,
  start = 0,
): ResourceRecord {
  const draft: Draft = {
    type,
    id: '',
    owned: false,
    attributes: {},
    linkage: {},
    revision: undefined,
  }
  let index = start
  for (const { decoder, put } of cells) {
    const value = values[index++]
    put(draft, value === null ? null : decoder.mapFromDriverValue(value), collected)
  }
  return draft
}

/**
 * The cells of a resource. The first one is the id.
 *
 * @param table the alias of the table of the type
 * @param edges relationships whose targets are read, too
 */
export function cellsOf(
  context: Context,
  definition: ResourceDefinition,
  table: string,
  { attributes, ownAttributes, relationships }: Selection,
  edges: readonly Edge[] = [],
): Cell[] {
  const { id, owner } = definition.stored
  const owned = owner && eq(columnOf(table, owner), context.at('viewer', owner))
  const ownedCell = (selected: SQL): Cell => ({
    selected,
    decoder: { mapFromDriverValue: Boolean },
    put: (draft, value) => {
      draft.owned = value === true
    },
  })
  return [
    textCell(table, id, 'id'),
    ...(owned ? [ownedCell(owned)] : []),
    ...attributes.map((name) => attributeCell(definition, table, name)),
    ...ownAttributes.map((name) => attributeCell(definition, table, name, owned ?? sql`false`)),
    ...relationships.flatMap((name) => {
      const edge = edges.find(({ relationship }) => relationship === name)
      return linkageCells(context, definition, table, name, edge)
    }),
  ]
}

/** The cell of the revision; none where the type has no revisions. */
export function revisionCells({ stored: { revision } }: ResourceDefinition, table: string): Cell[] {
  return revision ? [textCell(table, revision, 'revision')] : []
}

function textCell(table: string, column: SQLiteColumn, name: 'id' | 'revision'): Cell {
  return {
    selected: columnOf(table, column),
    decoder: column,
    put: (draft, value) => {
      draft[name] = value as string
    },
  }
}

/** @param owned is selected only where this holds */
function attributeCell(
  definition: ResourceDefinition,
  table: string,
  name: string,
  owned?: SQL,
): Cell {
  const { column, as } = storedAttribute(definition, name)
  const value = columnOf(table, column)
  return {
    selected: owned ? sql`case when ${owned} then ${value} end` : value,
    decoder: column,
    put: ({ type, id, attributes }, value, { cipher, decrypting }) => {
      attributes[name] = value
      if (value instanceof Date) {
        attributes[name] = value.toISOString()
      } else if (as === 'json' && value !== null) {
        attributes[name] = { json: value }
      } else if (as === 'sealed' && value !== null) {
        const opened = cipher.decrypt(value as string, sealContext(type, id, name))
        decrypting.push(
          opened.then((text) => {
            attributes[name] = text
          }),
        )
      }
    },
  }
}

function linkageCells(
  context: Context,
  definition: ResourceDefinition,
  table: string,
  name: string,
  edge: Edge | undefined,
): Cell[] {
  const relationship = storedRelationship(definition, name)
  if (relationship.cardinality === 'many') {
    return [membersCell(context, columnOf(table, definition.stored.id), name, relationship, edge)]
  }
  const id = columnOf(table, relationship.stored)
  const linkageCell: Cell = {
    selected: id,
    decoder: relationship.stored,
    put: ({ linkage }, value) => {
      linkage[name] = { members: value === null ? [] : [{ id: value as string }], more: false }
    },
  }
  return edge ? [linkageCell, targetCell(context, edge, id)] : [linkageCell]
}

/** One member more than is shown. The limit is spelled: SQLite prepares a statement with a bound limit anew each time. */
const membersFetched = sql.raw(`${linkageLimit + 1}`) as SQL & number

/** The first members of a to-many relationship, with their targets where there is an edge. */
function membersCell(
  context: Context,
  owner: SQLiteColumn,
  name: string,
  relationship: Relationship & { readonly cardinality: 'many' },
  edge: Edge | undefined,
): Cell {
  const { stored } = relationship
  const { columns, memberOf } = memberParts(relationship)
  const members = context.db
    .select(Object.fromEntries(columns.map((column) => [column.name, column])))
    .from(stored.table)
    .where(eq(stored.owner, owner))
    .orderBy(asc(stored.target))
    .$dynamic()
  const few = (context.allMembers ? members : members.limit(membersFetched)).as('few')
  const parts = columns.map((column) => columnOf('few', column))
  const target = edge && targetCell(context, edge, columnOf('few', stored.target))
  const item = jsonArray(target ? [...parts, target.selected] : parts)
  const limit = context.allMembers ? undefined : linkageLimit
  return {
    selected: context.db.select({ members: jsonGroup(item) }).from(few),
    decoder: json,
    put: (draft, value, collected) => {
      const { shown, more } = firstOf(value as readonly (readonly unknown[])[], limit)
      draft.linkage[name] = { members: shown.map(memberOf), more }
      for (const row of target ? shown : []) {
        target?.put(draft, json.mapFromDriverValue(row[columns.length]), collected)
      }
    },
  }
}

/** The columns that hold a member: its id and its `meta`. `memberOf` makes a member of their values. */
export function memberParts(relationship: Relationship) {
  const isMany = relationship.cardinality === 'many'
  const meta = isMany ? metaColumns(relationship) : []
  const names = meta.map(([name], index) => `${index === 0 ? '{' : ','}"${name}":`)
  return {
    columns: [
      isMany ? relationship.stored.target : relationship.stored,
      ...meta.map(([, column]) => column),
    ],
    memberOf: (values: readonly unknown[]): Member => {
      const id = values[0] as string
      let json = ''
      for (const [index, name] of names.entries()) {
        json += name + JSON.stringify(values[index + 1])
      }
      return json === '' ? { id } : { id, meta: { json: `${json}}` } }
    },
  }
}

/** D1 allows so many arguments of a function. */
const maxArguments = 32

/** The target of a relationship whose id is in a column of the rows around it: a JSON array of its cells. */
function targetCell(
  context: Context,
  { relationship, target: type, show }: Edge,
  id: SQLiteColumn,
): Cell {
  const definition = context.registry.get(type)
  const { stored } = definition
  const cells = cellsOf(context, definition, 'target', show)
  const chunks: SQL[] = []
  for (let start = 0; start < cells.length; start += maxArguments) {
    const some = cells.slice(start, start + maxArguments)
    chunks.push(jsonArray(some.map(({ selected }) => selected)))
  }
  return {
    selected: context.db
      .select({ target: chunks.length > 1 ? jsonArray(chunks) : sql`${chunks[0]}` })
      .from(alias(stored.table, 'target'))
      .where(eq(columnOf('target', stored.id), id)),
    decoder: json,
    put: (_, value, collected) => {
      const array = value as readonly unknown[] | null
      const items = chunks.length > 1 ? array?.flatMap(json.mapFromDriverValue) : array
      const key = `${relationship}/${items?.[0]}`
      if (items && !collected.related.has(key)) {
        collected.related.set(key, recordOf(type, cells, items, collected))
      }
    },
  }
}
