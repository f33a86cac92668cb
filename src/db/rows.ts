import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { asFlag, joinedTexts } from '#dialect'
import type { Relationship, ResourceDefinition, ToMany } from '../jsonapi/declare/resource.ts'
import type { SortKey } from '../jsonapi/request/query.ts'
import type {
  Found,
  Linkage,
  Member,
  Read,
  ResourceRecord,
  Selection,
} from '../jsonapi/run/store.ts'
import { onePiece } from '../lib/one-piece.ts'
import type { Cipher } from './cipher.ts'
import type { Row } from './connection.ts'
import { fetchedFor, firstOf, type ReadValues } from './page.ts'
import { keyColumn, metaColumns, storedAttribute, storedRelationship } from './source.ts'
import { at, bare, literal, param, tableName } from './statement.ts'

// What a row holds: the columns that a read selects, and how resources are made of their values.

/** The context that a sealed value is bound to: a ciphertext that is moved to another resource does not decrypt. */
export function sealContext(type: string, id: string, attribute: string): string {
  return `${type}/${id}/${attribute}`
}

/** A resource whose columns are being read. */
interface Draft extends ResourceRecord {
  id: string
  owned: boolean
  readonly attributes: Record<string, unknown>
  readonly linkage: Record<string, Linkage>
  revision: string | undefined
}

/** An attribute whose value is still sealed. */
interface Sealed {
  readonly record: Draft
  readonly attribute: string
}

/**
 * A column of a statement, and what becomes of its value: `read` puts it into the resource that the row holds, and adds it to `sealed`
 * where it is to be decrypted; what is no part of a resource has `tells` instead.
 */
export interface Column {
  readonly sql: SQL
  readonly read?: (value: unknown, record: Draft, sealed: Sealed[]) => void
  /** What the value is: a key that the row is sorted by, a part of a member, or a total. */
  readonly tells?: 'key' | 'member' | 'total'
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
  return owner ? sql`${at(alias, owner)} = ${param<ReadValues>('viewer')}` : sql`FALSE`
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
      sql: asFlag(owned),
      read: (value, record) => {
        record.owned = Number(value) === 1
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

/** The columns of a member of a relationship: the parts that {@link memberReader} reads. */
export function memberColumns(relationship: Relationship): Column[] {
  const columns = relationship.cardinality === 'one' ? [relationship.stored] : partsOf(relationship)
  return columns.map((column) => ({ sql: at('l', column), tells: 'member' }))
}

function attributeColumn(definition: ResourceDefinition, name: string, column: SQL): Column {
  const { as } = storedAttribute(definition, name)
  return {
    sql: column,
    read: (value, record, sealed) => {
      const isText = typeof value === 'string'
      record.attributes[name] = as === 'json' && isText ? { json: value } : value
      if (as === 'sealed' && isText) {
        sealed.push({ record, attribute: name })
      }
    },
  }
}

function linkageColumn(
  alias: string,
  definition: ResourceDefinition,
  name: string,
  limit: number | undefined,
): Column {
  const relationship = storedRelationship(definition, name)
  if (relationship.cardinality === 'one') {
    return {
      sql: at(alias, relationship.stored),
      read: (value, { linkage }) => {
        linkage[name] = { members: typeof value === 'string' ? [{ id: value }] : [], more: false }
      },
    }
  }
  const memberOf = memberReader(relationship)
  return {
    sql: membersText(at(alias, definition.stored.id), relationship, limit),
    read: (value, { linkage }) => {
      const { shown, more } = firstOf(typeof value === 'string' ? value.split(',') : [], limit)
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
  return sql`(SELECT ${joinedTexts(sql`m`, bare(target))} FROM (SELECT ${member} AS m, ${bare(target)}
    FROM ${tableName(table)} WHERE ${bare(owner)} = ${ownerId}
    ORDER BY ${bare(target)} LIMIT ${literal(fetchedFor(limit))}) AS few)`
}

/** Gives the function that reads a member from its text: its id, and the values of its `meta`, with colons between them. */
export function memberReader(relationship: Relationship): (text: string) => Member {
  const meta = relationship.cardinality === 'many' ? metaColumns(relationship) : []
  if (meta.length === 0) {
    return (id) => ({ id })
  }
  const starts = meta.map(([name], index) => onePiece`${index === 0 ? '{' : '",'}"${name}":"`)
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

/** The rows of one kind in the result of a read. */
export interface Rows {
  /** What a row holds. `owner`: the resource that has the relationship which a page is read through. */
  readonly kind: 'record' | 'member' | 'owner' | 'total' | 'related'
  /** The type of the resources. */
  readonly type: string
  /** The columns of a row, behind the index of its kind. The first one is the id, but for a total. */
  readonly columns: readonly Column[]
  /** Reads a member of a relationship from the values that tell it, with colons between them. */
  readonly memberOf?: (text: string) => Member
}

/**
 * What a read has found, from the rows of its statement. It decrypts the sealed values that were selected, so that nothing
 * outside `src/db` sees a ciphertext.
 *
 * @throws Error when a sealed value does not decrypt
 */
export async function foundIn(
  cipher: Cipher,
  kinds: readonly Rows[],
  { from }: Read,
  rows: readonly Row[],
): Promise<Found> {
  const kindOf = (row: Row): Rows => kinds[row[0] as number] as Rows
  const byKind = Map.groupBy(rows, (row) => kindOf(row).kind)
  const rowsOf = (kind: Rows['kind']) => byKind.get(kind) ?? []
  const told = (row: Row, what: Column['tells']) =>
    kindOf(row).columns.flatMap(({ tells }, index) => (tells === what ? [row[index + 1]] : []))
  const isLinkage = from.kind === 'linkage'
  const limit = from.kind === 'ids' ? undefined : from.limit
  const { shown, more } = firstOf(rowsOf(isLinkage ? 'member' : 'record'), limit)
  const sealed: Sealed[] = []
  const resourceOf = (row: Row) => resourceIn(kindOf(row), row, sealed)
  const records = (isLinkage ? rowsOf('record') : shown).map(resourceOf)
  const related = rowsOf('related').map(resourceOf)
  for (const { record, attribute } of sealed) {
    const { type, id, attributes } = record
    const context = sealContext(type, id, attribute)
    attributes[attribute] = await cipher.decrypt(attributes[attribute] as string, context)
  }
  const [last] = more ? shown.slice(-1) : []
  // A first page without rows means that the total is 0.
  const [first] = [...rowsOf('total'), ...shown]
  const total = first ? Number(told(first, 'total')[0]) : 0
  return {
    records,
    ...(from.kind === 'page' && from.of && { isOrphan: rowsOf('owner').length === 0 }),
    members: isLinkage
      ? shown.flatMap((row) => kindOf(row).memberOf?.(told(row, 'member').join(':')) ?? [])
      : [],
    position: last && [...told(last, 'key').map(String), last[1] as string],
    total: from.kind === 'page' && from.total ? total : undefined,
    related,
  }
}

/** The resource that a row holds. Adds the attributes to `sealed` that are to be decrypted. */
function resourceIn({ type, columns }: Rows, row: Row, sealed: Sealed[]): Draft {
  const record: Draft = {
    type,
    id: '',
    owned: false,
    attributes: {},
    linkage: {},
    revision: undefined,
  }
  for (let index = 0; index < columns.length; index++) {
    columns[index]?.read?.(row[index + 1], record, sealed)
  }
  return record
}
