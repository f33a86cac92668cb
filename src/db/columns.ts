import { type SQL, sql } from 'drizzle-orm'
import type { ToMany } from '../jsonapi/declare/resource.ts'
import type { SortKey } from '../jsonapi/request/query.ts'
import type { Selection } from '../jsonapi/run/plan.ts'
import type { JsonText, Linkage, Member, ResourceRecord } from '../jsonapi/run/store.ts'
import { fetchedFor, firstOf, type ReadValues } from './page.ts'
import {
  keyColumn,
  metaColumns,
  type StoredDefinition,
  storedAttribute,
  storedRelationship,
} from './source.ts'
import { at, bare, nameOf, param } from './statement.ts'

/** What one row of a result holds: a resource, or a part of it, and what is told beside it. */
export interface Line {
  readonly record: {
    -readonly [Name in 'id' | 'owned' | 'revision']: ResourceRecord[Name]
  } & {
    readonly type: string
    readonly attributes: Record<string, unknown>
    readonly linkage: Record<string, Linkage>
  }
  /** The values that the row is sorted by. */
  readonly keys: string[]
  /** The names of the attributes whose values are still sealed. */
  readonly sealed: string[]
  /** The `meta` of a member of a relationship. */
  meta: JsonText | undefined
  total: number | undefined
}

/** A column of a statement, with the function that puts its value into a line. */
export interface Column {
  readonly sql: SQL
  readonly read: (value: unknown, line: Line) => void
}

/** The column of the id. */
export function idColumn(id: SQL): Column {
  return {
    sql: id,
    read: (value, { record }) => {
      record.id = value as string
    },
  }
}

/** The column of a total: a number of resources. */
export function totalColumn(total: SQL): Column {
  return {
    sql: total,
    read: (value, line) => {
      line.total = value as number
    },
  }
}

/** Does the reader own the resource? */
function isOwned(alias: string, { stored: { owner } }: StoredDefinition): SQL {
  return owner ? sql`${at(alias, owner)} = ${param<ReadValues>('viewer')}` : sql`0`
}

/** The column that tells whether the reader owns the resource. */
export function ownedColumn(alias: string, definition: StoredDefinition): Column {
  return {
    sql: isOwned(alias, definition),
    read: (value, { record }) => {
      record.owned = value === 1
    },
  }
}

/** The column of the revision; none where the type has no revisions. */
export function revisionColumns(alias: string, { stored }: StoredDefinition): Column[] {
  return stored.revision
    ? [
        {
          sql: at(alias, stored.revision),
          read: (value, { record }) => {
            record.revision = value as string
          },
        },
      ]
    : []
}

/**
 * The columns of a resource: its id, whether the reader owns it, and the attributes and linkage that are selected.
 *
 * @param members the most members of a to-many relationship; undefined for all
 */
export function recordColumns(
  alias: string,
  definition: StoredDefinition,
  { attributes, ownAttributes, relationships }: Selection,
  members: number | undefined,
): Column[] {
  const owned = isOwned(alias, definition)
  const column = (name: string): SQL => at(alias, storedAttribute(definition, name).column)
  return [
    idColumn(at(alias, definition.stored.id)),
    ownedColumn(alias, definition),
    ...attributes.map((name) => attributeColumn(definition, name, column(name))),
    ...ownAttributes.map((name) =>
      attributeColumn(definition, name, sql`CASE WHEN ${owned} THEN ${column(name)} END`),
    ),
    ...relationships.map((name) => linkageColumn(alias, definition, name, members)),
  ]
}

/** The columns that a page is sorted by. */
export function sortColumns(definition: StoredDefinition, sort: readonly SortKey[]): Column[] {
  return sort.map(({ field }) => ({
    sql: at('p', keyColumn(definition, field)),
    read: (value, { keys }) => {
      keys.push(String(value))
    },
  }))
}

/** The columns of a member of a relationship: its id, and its `meta`. */
export function memberColumns(definition: StoredDefinition, name: string): Column[] {
  const relationship = storedRelationship(definition, name)
  if (relationship.cardinality === 'one') {
    return [idColumn(at('l', relationship.stored))]
  }
  const meta = metaColumns(relationship).map(([, column]) => at('l', column))
  const metaOf = metaReader(relationship)
  return [
    idColumn(at('l', relationship.stored.target)),
    ...(metaOf
      ? [
          {
            sql: sql.join(meta, colon),
            read: (value: unknown, line: Line) => {
              line.meta = metaOf(value as string)
            },
          },
        ]
      : []),
  ]
}

function attributeColumn(definition: StoredDefinition, name: string, column: SQL): Column {
  const { as } = storedAttribute(definition, name)
  return {
    sql: column,
    read: (value, { record, sealed }) => {
      record.attributes[name] = as === 'json' && typeof value === 'string' ? { json: value } : value
      if (as === 'sealed' && typeof value === 'string') {
        sealed.push(name)
      }
    },
  }
}

function linkageColumn(
  alias: string,
  definition: StoredDefinition,
  name: string,
  limit: number | undefined,
): Column {
  const relationship = storedRelationship(definition, name)
  const isOne = relationship.cardinality === 'one'
  const memberOf = isOne ? (id: string): Member => ({ id }) : memberReader(relationship)
  return {
    sql: isOne
      ? at(alias, relationship.stored)
      : membersText(at(alias, definition.stored.id), relationship, limit),
    read: (value, { record }) => {
      const texts = typeof value === 'string' ? value.split(',') : []
      const { shown, more } = firstOf(texts, limit)
      record.linkage[name] = { members: shown.map(memberOf), more }
    },
  }
}

const colon = sql` || ':' || `

/**
 * The first members of a to-many relationship as one text: `id,id`, or `id:meta,id:meta` where members have `meta`. The limit is
 * spelled in the statement, because SQLite takes several times as long when it is a parameter.
 */
function membersText(ownerId: SQL, relationship: ToMany, limit: number | undefined): SQL {
  const { table, owner, target } = relationship.stored
  const parts = [target, ...metaColumns(relationship).map(([, column]) => column)].map(bare)
  return sql`(SELECT group_concat(m) FROM (SELECT ${sql.join(parts, colon)} AS m
    FROM ${nameOf(table)} WHERE ${bare(owner)} = ${ownerId}
    ORDER BY ${bare(target)} LIMIT ${sql.raw(String(fetchedFor(limit)))}))`
}

/** Gives the function that reads one member from the text of {@link membersText}. */
function memberReader(relationship: ToMany): (text: string) => Member {
  const metaOf = metaReader(relationship)
  if (!metaOf) {
    return (id) => ({ id })
  }
  return (text) => {
    const end = text.indexOf(':')
    return { id: text.slice(0, end), meta: metaOf(text.slice(end + 1)) }
  }
}

/** Gives the function that writes `meta` from its values with colons between them; undefined where there is none. The values need no escaping. */
function metaReader(relationship: ToMany): ((text: string) => JsonText) | undefined {
  const names = metaColumns(relationship).map(([name]) => name)
  if (names.length === 0) {
    return undefined
  }
  return (text) => {
    const members = text.split(':').map((value, index) => `"${names[index]}":"${value}"`)
    return { json: `{${members}}` }
  }
}
