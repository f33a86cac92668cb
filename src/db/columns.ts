import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Relationship, ResourceDefinition, ToMany } from '../jsonapi/declare/resource.ts'
import type { SortKey } from '../jsonapi/request/query.ts'
import type { Linkage, Member, ResourceRecord, Selection } from '../jsonapi/run/store.ts'
import { fetchedFor, firstOf, type ReadValues } from './page.ts'
import { keyColumn, metaColumns, storedAttribute, storedRelationship } from './source.ts'
import { at, bare, nameOf, param } from './statement.ts'

/** A resource whose columns are being read. */
export interface Draft extends ResourceRecord {
  id: string
  owned: boolean
  readonly attributes: Record<string, unknown>
  readonly linkage: Record<string, Linkage>
  revision: string | undefined
}

/** A column of a statement. */
export interface Column {
  readonly sql: SQL
  /** Puts the value into the resource that the row holds; absent where the value is no part of one. */
  readonly read?: (value: unknown, record: Draft) => void
  /** What a value is that is no part of a resource: a key that the row is sorted by, a part of a member, or a total. */
  readonly tells?: 'key' | 'member' | 'total'
  /** The attribute whose value is sealed. */
  readonly sealed?: string
}

/** The column of the id. */
export function idColumn(id: SQL): Column {
  return {
    sql: id,
    read: (value, record) => {
      record.id = value as string
    },
  }
}

/** Does the reader own the resource? */
function isOwned(alias: string, { stored: { owner } }: ResourceDefinition): SQL {
  return owner ? sql`${at(alias, owner)} = ${param<ReadValues>('viewer')}` : sql`0`
}

/** The column of the revision; none where the type has no revisions. */
export function revisionColumns(alias: string, { stored }: ResourceDefinition): Column[] {
  return stored.revision
    ? [
        {
          sql: at(alias, stored.revision),
          read: (value, record) => {
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
  definition: ResourceDefinition,
  { attributes, ownAttributes, relationships }: Selection,
  members: number | undefined,
): Column[] {
  const owned = isOwned(alias, definition)
  const column = (name: string): SQL => at(alias, storedAttribute(definition, name).column)
  return [
    idColumn(at(alias, definition.stored.id)),
    {
      sql: owned,
      read: (value, record) => {
        record.owned = value === 1
      },
    },
    ...attributes.map((name) => attributeColumn(definition, name, column(name))),
    ...ownAttributes.map((name) =>
      attributeColumn(definition, name, sql`CASE WHEN ${owned} THEN ${column(name)} END`),
    ),
    ...relationships.map((name) => linkageColumn(alias, definition, name, members)),
  ]
}

/** The columns that a page is sorted by. */
export function sortColumns(definition: ResourceDefinition, sort: readonly SortKey[]): Column[] {
  return sort.map(({ field }) => ({ sql: at('p', keyColumn(definition, field)), tells: 'key' }))
}

/** The columns of a member of a relationship: the parts of the text that {@link memberReader} reads. */
export function memberColumns(relationship: Relationship): Column[] {
  const columns = relationship.cardinality === 'one' ? [relationship.stored] : partsOf(relationship)
  return columns.map((column) => ({ sql: at('l', column), tells: 'member' }))
}

function attributeColumn(definition: ResourceDefinition, name: string, column: SQL): Column {
  const { as } = storedAttribute(definition, name)
  return {
    sql: column,
    read: (value, { attributes }) => {
      attributes[name] = as === 'json' && typeof value === 'string' ? { json: value } : value
    },
    ...(as === 'sealed' && { sealed: name }),
  }
}

function linkageColumn(
  alias: string,
  definition: ResourceDefinition,
  name: string,
  limit: number | undefined,
): Column {
  const relationship = storedRelationship(definition, name)
  const memberOf = memberReader(relationship)
  return {
    sql:
      relationship.cardinality === 'one'
        ? at(alias, relationship.stored)
        : membersText(at(alias, definition.stored.id), relationship, limit),
    read: (value, { linkage }) => {
      const texts = typeof value === 'string' ? value.split(',') : []
      const { shown, more } = firstOf(texts, limit)
      linkage[name] = { members: shown.map(memberOf), more }
    },
  }
}

/** The columns that hold a member: its id, and the members of its `meta`. */
function partsOf(relationship: ToMany): SQLiteColumn[] {
  return [relationship.stored.target, ...metaColumns(relationship).map(([, column]) => column)]
}

/**
 * The first members of a to-many relationship as one text, with commas between them and colons inside them. The limit is spelled in
 * the statement, because SQLite takes several times as long when it is a parameter.
 */
function membersText(ownerId: SQL, relationship: ToMany, limit: number | undefined): SQL {
  const { table, owner, target } = relationship.stored
  const member = sql.join(partsOf(relationship).map(bare), sql` || ':' || `)
  return sql`(SELECT group_concat(m) FROM (SELECT ${member} AS m
    FROM ${nameOf(table)} WHERE ${bare(owner)} = ${ownerId}
    ORDER BY ${bare(target)} LIMIT ${sql.raw(String(fetchedFor(limit)))}))`
}

/** Gives the function that reads a member from its id and the values of its `meta`, with colons between them. */
export function memberReader(relationship: Relationship): (text: string) => Member {
  const meta = relationship.cardinality === 'many' ? metaColumns(relationship) : []
  if (meta.length === 0) {
    return (id) => ({ id })
  }
  const starts = meta.map(([name], index) => `${index === 0 ? '{' : '",'}"${name}":"`)
  return (text) => {
    const end = text.indexOf(':')
    const values = text.slice(end + 1).split(':')
    let json = ''
    for (let index = 0; index < starts.length; index++) {
      json += `${starts[index]}${values[index]}`
    }
    return { id: text.slice(0, end), meta: { json: `${json}"}` } }
  }
}
