import { type SQL, sql } from 'drizzle-orm'
import type { ToMany } from '../jsonapi/declare/resource.ts'
import {
  metaColumns,
  type StoredDefinition,
  type StoredType,
  storedAttribute,
  storedRelationship,
  type Tables,
} from './source.ts'
import {
  all,
  at,
  type Bindable,
  bare,
  commas,
  compile,
  each,
  nameOf,
  type Parameter,
  param,
  type Statement,
} from './statement.ts'

/**
 * Statements of writes. In a batch the first one claims the resource: it finds a row only when the resource
 * exists and the writer may change it. The others hold the same condition, so that they do nothing otherwise.
 *
 * Quotas (contract, section 15): a statement that would exceed one writes NULL to the column of the owner. That
 * column takes no NULL, so the constraint fails, and the whole transaction with it. What is counted are entries of
 * one index, no more of them than the quota allows.
 */

/** The values of a write. */
export interface WriteValues {
  readonly id: string
  /** The person who must own the resource; null: anyone may write. */
  readonly owner: string | null
  /** The quotas of resources that one person owns, and of members of one relationship. */
  readonly mostOwned: number
  readonly mostMembers: number
  /** What is stored of attributes that were sent, and what they are compared by. */
  readonly attributes: Readonly<Record<string, Bindable>>
  readonly keys: Readonly<Record<string, Bindable>>
  /** The ids that to-one relationships that were sent lead to. */
  readonly toOne: Readonly<Record<string, string | null>>
  /** The identifiers that were sent, by relationship: JSON arrays of objects with `id` and `meta`. */
  readonly members: Readonly<Record<string, string>>
}

type WriteStatement = Statement<WriteValues>

/** The id of the resource that is written. */
export const id = param<WriteValues>((values) => values.id)
const mostOwned: Parameter<WriteValues> = (values) => values.mostOwned
const mostMembers: Parameter<WriteValues> = (values) => values.mostMembers
const owner = param<WriteValues>((values) => values.owner)

/**
 * Adds a resource; attributes and to-one relationships that were not sent are null. Fails on the column of the
 * owner when the person owns as many as they may.
 */
export function insertStatement(definition: StoredDefinition): WriteStatement {
  const source = definition.stored
  const cells: [SQL, SQL][] = [[bare(source.id), id]]
  if (source.owner) {
    const owned = countUpTo(
      mostOwned,
      sql`${nameOf(source.table)} WHERE ${bare(source.owner)} = ${owner}`,
    )
    const hasRoom = sql`${owned} < ${param(mostOwned)}`
    cells.push([bare(source.owner), ifRoom(hasRoom, owner)])
  }
  cells.push(...attributeCells(definition, Object.keys(definition.attributes), orNull))
  cells.push(...foreignKeyCells(definition, Object.keys(definition.relationships), orNull))
  return compile(
    sql`INSERT INTO ${nameOf(source.table)} (${commas(cells.map(([column]) => column))})
      VALUES (${commas(cells.map(([, value]) => value))})`,
  )
}

/** Claims a resource, and sets what was sent of its own columns. */
export function claimStatement(
  definition: StoredDefinition,
  attributes: readonly string[],
  relationships: readonly string[],
): WriteStatement {
  const source = definition.stored
  const cells = [
    ...attributeCells(definition, attributes, surely),
    ...foreignKeyCells(definition, relationships, surely),
  ].map(([column, value]) => sql`${column} = ${value}`)
  return compile(
    cells.length > 0
      ? sql`UPDATE ${nameOf(source.table)} SET ${commas(cells)} WHERE ${mine(source)} RETURNING 1 AS claimed`
      : sql`SELECT 1 AS claimed FROM ${nameOf(source.table)} WHERE ${mine(source)}`,
  )
}

/** Claims a resource and removes it; links to and from it go with it, by foreign keys. */
export function deleteStatement(source: StoredType): WriteStatement {
  return compile(
    sql`DELETE FROM ${nameOf(source.table)} WHERE ${mine(source)} RETURNING 1 AS claimed`,
  )
}

/** How the members of a to-many relationship change. */
export type LinkWrite = 'replace' | 'add' | 'remove'

/**
 * Changes the members of a to-many relationship. A member that is there already takes the meta it is sent with.
 * Fails on the link table's column of the owner when there would be more members than there may be.
 *
 * @throws Error when the relationship is to-one
 */
export function memberStatements(
  definition: StoredDefinition,
  name: string,
  kind: LinkWrite,
): WriteStatement[] {
  const source = definition.stored
  const relationship = storedRelationship(definition, name)
  if (relationship.cardinality === 'one') {
    throw new Error(`${name} is not a to-many relationship`)
  }
  const link = relationship.stored
  const members = sentTo(name)
  const sent = sql`SELECT value ->> 'id' FROM ${members}`
  const drop = (condition: SQL): WriteStatement =>
    compile(
      sql`DELETE FROM ${nameOf(link.table)} WHERE ${all([sql`${bare(link.owner)} = ${id}`, condition, claimed(source)])}`,
    )
  switch (kind) {
    case 'remove':
      return [drop(sql`${bare(link.target)} IN (${sent})`)]
    case 'add':
      return [upsertStatement(source, relationship, members)]
    case 'replace':
      return [
        drop(sql`${bare(link.target)} NOT IN (${sent})`),
        upsertStatement(source, relationship, members),
      ]
  }
}

/** Does the resource exist, whoever owns it? */
export function existsStatement(source: StoredType): WriteStatement {
  return compile(sql`SELECT 1 FROM ${nameOf(source.table)} WHERE ${bare(source.id)} = ${id}`)
}

/** Which of the targets that were sent for a relationship do not exist. */
export function danglingStatement(target: StoredType, relationship: string): WriteStatement {
  return compile(
    sql`SELECT DISTINCT value ->> 'id' AS id FROM ${sentTo(relationship)}
      WHERE NOT EXISTS (SELECT 1 FROM ${nameOf(target.table)} AS t WHERE ${at('t', target.id)} = value ->> 'id')`,
  )
}

function upsertStatement(
  source: StoredType,
  relationship: ToMany<Tables>,
  members: SQL,
): WriteStatement {
  const link = relationship.stored
  const meta = metaColumns(relationship)
  const columns = [link.owner, link.target, ...meta.map(([, column]) => column)].map(bare)
  const values = meta.map(([name]) => sql`value -> 'meta' ->> ${sql.raw(`'${name}'`)}`)
  const update = meta.map(([, column]) => sql`${bare(column)} = excluded.${bare(column)}`)
  return compile(
    sql`INSERT INTO ${nameOf(link.table)} (${commas(columns)})
      SELECT ${commas([ifRoom(hasRoom(link, members), id), sql`value ->> 'id'`, ...values])} FROM ${members} WHERE ${claimed(source)}
      ON CONFLICT DO ${update.length > 0 ? sql`UPDATE SET ${commas(update)}` : sql`NOTHING`}`,
  )
}

/** May the members that were sent be there together with the present ones? Those that are there take no room. */
function hasRoom(link: Tables['toMany'], members: SQL): SQL {
  const ofResource = sql`${nameOf(link.table)} WHERE ${bare(link.owner)} = ${id}`
  const added = sql`(SELECT count(DISTINCT value ->> 'id') FROM ${members}
    WHERE NOT EXISTS (SELECT 1 FROM ${ofResource} AND ${bare(link.target)} = value ->> 'id'))`
  return sql`${countUpTo(mostMembers, ofResource)} + ${added} <= ${param(mostMembers)}`
}

/** The value of a parameter for a column of the owner; NULL, which ends the transaction, where there is no room. */
function ifRoom(hasRoom: SQL, value: SQL): SQL {
  return sql`CASE WHEN ${hasRoom} THEN ${value} END`
}

/** Counts rows, and stops at the number in a parameter. */
function countUpTo(most: Parameter<WriteValues>, rows: SQL): SQL {
  return sql`(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${param(most)}))`
}

/** What a cell takes where its member may not have been sent. */
type IfSent = (parameter: Parameter<WriteValues>) => Parameter<WriteValues>
const orNull: IfSent = (parameter) => (values) => parameter(values) ?? null
const surely: IfSent = (parameter) => parameter

/** The identifiers that were sent for a relationship. */
function sentTo(name: string): SQL {
  return each<WriteValues>(({ members }) => members[name])
}

function attributeCells(
  definition: StoredDefinition,
  names: readonly string[],
  ifSent: IfSent,
): [SQL, SQL][] {
  return names.flatMap((name) => {
    const { column, key } = storedAttribute(definition, name)
    const cells: [SQL, SQL][] = [
      [bare(column), param(ifSent(({ attributes }) => attributes[name]))],
    ]
    return key ? [...cells, [bare(key), param(ifSent(({ keys }) => keys[name]))]] : cells
  })
}

function foreignKeyCells(
  definition: StoredDefinition,
  names: readonly string[],
  ifSent: IfSent,
): [SQL, SQL][] {
  return names.flatMap((name): [SQL, SQL][] => {
    const { cardinality, stored } = storedRelationship(definition, name)
    return cardinality === 'many' ? [] : [[bare(stored), param(ifSent(({ toOne }) => toOne[name]))]]
  })
}

/** The resource, when the writer may change it. */
function mine(stored: StoredType): SQL {
  const own = stored.owner
    ? [sql`${bare(stored.owner)} = coalesce(${owner}, ${bare(stored.owner)})`]
    : []
  return all([sql`${bare(stored.id)} = ${id}`, ...own])
}

/** Does the resource exist, and may the writer change it? */
export function claimed(source: StoredType): SQL {
  return sql`EXISTS (SELECT 1 FROM ${nameOf(source.table)} WHERE ${mine(source)})`
}
