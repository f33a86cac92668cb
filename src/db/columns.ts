import { type SQL, sql } from 'drizzle-orm'
import type { ToMany } from '../jsonapi/declare/resource.ts'
import type { SortKey } from '../jsonapi/request/query.ts'
import type { Selection, Values } from '../jsonapi/run/plan.ts'
import type { JsonText, Linkage, Member, ResourceRecord } from '../jsonapi/run/store.ts'
import { onePiece } from '../lib/one-piece.ts'
import {
  keyColumn,
  metaColumns,
  type StoredDefinition,
  storedAttribute,
  storedRelationship,
  type Tables,
} from './source.ts'
import { at, bare, nameOf, param } from './statement.ts'

/** A resource whose columns are being read. */
export interface Draft extends ResourceRecord {
  id: string
  owned: boolean
  readonly attributes: Record<string, unknown>
  readonly linkage: Record<string, Linkage>
  revision: string | undefined
}

/** What the rows of one result hold beside resources. */
export interface Beside {
  /** The values that the last row is sorted by. */
  keys: string[]
  /** The values of the `meta` of the last member of a relationship. */
  meta: unknown[]
  total: number | undefined
  /** The values that are still sealed. */
  readonly sealed: { readonly draft: Draft; readonly attribute: string }[]
}

/** A column of a statement, with the function that reads its values. */
export interface Column {
  readonly sql: SQL
  readonly read: (value: unknown, draft: Draft, beside: Beside) => void
}

/** The column of the id. */
export function idColumn(id: SQL): Column {
  return {
    sql: id,
    read: (value, draft) => {
      draft.id = value as string
    },
  }
}

/** The column of a total: a number of resources. */
export function totalColumn(total: SQL): Column {
  return {
    sql: total,
    read: (value, _, beside) => {
      beside.total = value as number
    },
  }
}

/** Does the reader own the resource? */
function isOwned(alias: string, { stored: { owner } }: StoredDefinition): SQL {
  return owner ? sql`${at(alias, owner)} = ${param<Values>('viewer')}` : sql`0`
}

/** The column that tells whether the reader owns the resource. */
export function ownedColumn(alias: string, definition: StoredDefinition): Column {
  return {
    sql: isOwned(alias, definition),
    read: (value, draft) => {
      draft.owned = value === 1
    },
  }
}

/** The column of the revision; none where the type has no revisions. */
export function revisionColumns(alias: string, { stored }: StoredDefinition): Column[] {
  return stored.revision
    ? [
        {
          sql: at(alias, stored.revision),
          read: (value, draft) => {
            draft.revision = value as string
          },
        },
      ]
    : []
}

/** The columns of a resource: its id, whether the reader owns it, and the attributes and linkage that are selected. */
export function recordColumns(
  alias: string,
  definition: StoredDefinition,
  { attributes, ownAttributes, relationships }: Selection,
  members: number | 'all',
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
    read: (value, _, beside) => {
      beside.keys.push(String(value))
    },
  }))
}

/** The columns of a member of a relationship: its id, and the values of its `meta`. */
export function memberColumns(definition: StoredDefinition, name: string): Column[] {
  const relationship = storedRelationship(definition, name)
  return relationship.cardinality === 'one'
    ? [idColumn(at('l', relationship.stored))]
    : [
        idColumn(at('l', relationship.stored.target)),
        ...metaColumns(relationship).map(
          ([, column]): Column => ({
            sql: at('l', column),
            read: (value, _, beside) => {
              beside.meta.push(value)
            },
          }),
        ),
      ]
}

/** Gives the function that makes a member of a relationship from its id and the values of its `meta`. */
export function memberMaker(
  definition: StoredDefinition,
  name: string,
): (id: string, meta: readonly unknown[]) => Member {
  const relationship = storedRelationship(definition, name)
  const metaOf = relationship.cardinality === 'many' ? metaMaker(relationship) : undefined
  return metaOf ? (id, meta) => ({ id, meta: metaOf(meta) }) : (id) => ({ id })
}

function attributeColumn(definition: StoredDefinition, name: string, column: SQL): Column {
  const { as } = storedAttribute(definition, name)
  return {
    sql: column,
    read: (value, draft, { sealed }) => {
      draft.attributes[name] = as === 'json' && typeof value === 'string' ? { json: value } : value
      if (as === 'sealed' && typeof value === 'string') {
        sealed.push({ draft, attribute: name })
      }
    },
  }
}

const nobody: Linkage = { members: [], more: false }

function linkageColumn(
  alias: string,
  definition: StoredDefinition,
  name: string,
  members: number | 'all',
): Column {
  const relationship = storedRelationship(definition, name)
  if (relationship.cardinality === 'one') {
    return {
      sql: at(alias, relationship.stored),
      read: (value, { linkage }) => {
        linkage[name] =
          value === null ? nobody : { members: [{ id: value as string }], more: false }
      },
    }
  }
  const most = members === 'all' ? Number.POSITIVE_INFINITY : members
  const linkageOf = membersReader(relationship, most)
  return {
    sql: membersText(at(alias, definition.stored.id), relationship, most),
    read: (value, { linkage }) => {
      linkage[name] = value === null ? nobody : linkageOf(value as string)
    },
  }
}

/**
 * The first members of a to-many relationship as one text: `id,id`, or `id:meta,id:meta` where members have `meta`. One member
 * more than are shown is read, which tells that there are more. The limit is spelled in the statement, because SQLite takes
 * several times as long when it is a parameter.
 */
function membersText(ownerId: SQL, relationship: ToMany<Tables>, most: number): SQL {
  const { table, owner, target } = relationship.stored
  const limit = sql.raw(String(Number.isFinite(most) ? most + 1 : -1))
  const parts = [target, ...metaColumns(relationship).map(([, column]) => column)].map(bare)
  return sql`(SELECT group_concat(m) FROM (SELECT ${sql.join(parts, sql` || ':' || `)} AS m
    FROM ${nameOf(table)} WHERE ${bare(owner)} = ${ownerId}
    ORDER BY ${bare(target)} LIMIT ${limit}))`
}

/** Gives the function that reads the text of {@link membersText}. */
function membersReader(relationship: ToMany<Tables>, most: number): (text: string) => Linkage {
  const metaOf = metaMaker(relationship)
  return (text) => {
    const members: Member[] = []
    for (let start = 0, end = 0; end < text.length; start = end + 1) {
      const comma = text.indexOf(',', start)
      end = comma < 0 ? text.length : comma
      const idEnd = metaOf ? text.indexOf(':', start) : end
      const id = text.slice(start, idEnd)
      members.push(metaOf ? { id, meta: metaOf(text.slice(idEnd + 1, end).split(':')) } : { id })
    }
    const more = members.length > most
    if (more) {
      members.length = most
    }
    return { members, more }
  }
}

/** Gives the function that writes `meta` from the values of its members; undefined where there is none. The values need no escaping. */
function metaMaker(
  relationship: ToMany<Tables>,
): ((values: readonly unknown[]) => JsonText) | undefined {
  const starts = metaColumns(relationship).map(([name], index) =>
    onePiece(`${index === 0 ? '{' : '",'}"${name}":"`),
  )
  if (starts.length === 0) {
    return undefined
  }
  return (values) => {
    let json = ''
    for (let index = 0; index < starts.length; index++) {
      json += `${starts[index]}${values[index]}`
    }
    return { json: `${json}"}` }
  }
}
