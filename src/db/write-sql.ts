import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { ToMany } from '../jsonapi/declare/resource.ts'
import { hasRoomForAll, hasRoomToAdd, hasRoomToOwn, unshown } from './bounds-sql.ts'
import {
  claimable,
  claimed,
  id,
  ifRoom,
  literal,
  owner,
  revision,
  sentTo,
  valueIn,
  type WriteStatement,
  type WriteValues,
} from './edit-sql.ts'
import { counters } from './schema.ts'
import {
  metaColumns,
  revisionOf,
  type StoredDefinition,
  type StoredType,
  storedAttribute,
  storedRelationship,
} from './source.ts'
import { all, bare, commas, compile, nameOf } from './statement.ts'

/*
 * The statements of writes. One statement of an edit claims the resource: it finds a row only when the resource exists,
 * the writer may change it and it has an expected revision, and it sets the new revision (contract, section 9). The
 * statements behind it find the resource by its new revision, so that they do nothing where the claim has found no row.
 *
 * Where a counter holds the number of resources, a statement in the same transaction counts what is inserted or deleted. It does
 * not ask how many rows another statement has changed: an insert adds one row or fails, and a delete has its condition repeated.
 *
 * A statement that would exceed a quota (contract, section 15) fails, and the whole transaction with it. It counts entries
 * of one index, and no more of them than the quota allows.
 */

/**
 * Inserts a resource, and counts it. Attributes and to-one relationships that were not sent are null. Fails as `full` when the
 * person owns as many resources of the type as the quota allows.
 */
export function insertStatements(definition: StoredDefinition): WriteStatement[] {
  const source = definition.stored
  const cells: [SQL, SQL][] = [
    [bare(source.id), id],
    [bare(revisionOf(source)), revision],
  ]
  if (source.owner) {
    cells.push([bare(source.owner), ifRoom(hasRoomToOwn(definition, 'now'), owner, '')])
  }
  cells.push(
    ...columnsOf(
      definition,
      Object.keys(definition.attributes),
      Object.keys(definition.relationships),
    ).map(cellOf),
  )
  const insert = compile<WriteValues>(
    sql`INSERT INTO ${nameOf(source.table)} (${commas(cells.map(([column]) => column))})
      VALUES (${commas(cells.map(([, value]) => value))})`,
  )
  // The insert adds one row, or fails and ends the transaction.
  return [insert, ...countStatements(source, sql`+ 1`)]
}

/**
 * Claims a resource: sets its revision and the columns of the attributes and to-one relationships that were sent. Fails as
 * `unshown` where one of the relationships is to-many and has more members than a resource object shows.
 *
 * @param relationships the relationships that an update of the resource replaces
 */
export function claimStatement(
  definition: StoredDefinition,
  attributes: readonly string[],
  relationships: readonly string[],
  isConditional: boolean,
): WriteStatement {
  const source = definition.stored
  const refusals = unshown(definition, relationships, 'now')
  const cells: [SQL, SQL][] = [
    [
      bare(revisionOf(source)),
      refusals.length > 0 ? sql`coalesce(${commas([...refusals, revision])})` : revision,
    ],
    ...columnsOf(definition, attributes, relationships).map(cellOf),
  ]
  const set = cells.map(([column, value]) => sql`${column} = ${value}`)
  return compile(
    sql`UPDATE ${nameOf(source.table)} SET ${commas(set)} WHERE ${claimable(source, isConditional)} RETURNING 1 AS claimed`,
  )
}

/**
 * Claims a resource and deletes it, and counts that. Foreign keys delete its members, and its memberships in other resources.
 */
export function deleteStatements(source: StoredType, isConditional: boolean): WriteStatement[] {
  const condition = claimable(source, isConditional)
  const present = sql`EXISTS (SELECT 1 FROM ${nameOf(source.table)} WHERE ${condition})`
  return [
    // Before the row is gone: it is counted out under the condition under which it is deleted.
    ...countStatements(source, sql`- 1`, present),
    compile(sql`DELETE FROM ${nameOf(source.table)} WHERE ${condition} RETURNING 1 AS claimed`),
  ]
}

/** Changes the counter of a type where a condition holds; no statement for a type without a counter. */
function countStatements(
  { counter }: StoredType,
  change: SQL,
  ...conditions: readonly SQL[]
): WriteStatement[] {
  if (counter === undefined) {
    return []
  }
  const where = all([sql`${bare(counters.name)} = ${literal(counter)}`, ...conditions])
  const value = bare(counters.value)
  return [compile(sql`UPDATE ${nameOf(counters)} SET ${value} = ${value} ${change} WHERE ${where}`)]
}

/**
 * How one statement changes the members of a to-many relationship: `add` and `remove` change those that were sent; `put` adds
 * those that will be the only ones, and `keep` removes all others.
 */
type MemberWrite = 'add' | 'put' | 'keep' | 'remove'

/**
 * The statement that changes the members of a to-many relationship. A member that exists already takes the `meta` that was
 * sent. It fails as `full` with the name of the relationship when it would have more members than the quota allows.
 *
 * @throws Error when the relationship is to-one
 */
export function memberStatement(
  definition: StoredDefinition,
  name: string,
  kind: MemberWrite,
): WriteStatement {
  const source = definition.stored
  const relationship = storedRelationship(definition, name)
  if (relationship.cardinality === 'one') {
    throw new Error(`${name} is not a to-many relationship`)
  }
  const memberTable = relationship.stored
  switch (kind) {
    case 'add':
      return upsertStatement(source, name, relationship, hasRoomToAdd(memberTable, name, 'now'))
    case 'put':
      return upsertStatement(source, name, relationship, hasRoomForAll(name))
    default: {
      const target = bare(memberTable.target)
      const sent = sql`(SELECT value ->> 'id' FROM ${sentTo(name)})`
      const isDropped =
        kind === 'remove' ? sql`${target} IN ${sent}` : sql`${target} NOT IN ${sent}`
      return compile(
        sql`DELETE FROM ${nameOf(memberTable.table)} WHERE ${all([sql`${bare(memberTable.owner)} = ${id}`, isDropped, claimed(source)])}`,
      )
    }
  }
}

/** Reads the revision of a resource. There is no row where the resource does not exist. */
export function revisionStatement(source: StoredType): WriteStatement {
  return compile(
    sql`SELECT ${bare(revisionOf(source))} AS revision FROM ${nameOf(source.table)} WHERE ${bare(source.id)} = ${id}`,
  )
}

function upsertStatement(
  source: StoredType,
  called: string,
  relationship: ToMany,
  hasRoom: SQL,
): WriteStatement {
  const memberTable = relationship.stored
  const meta = metaColumns(relationship)
  const columns = [memberTable.owner, memberTable.target, ...meta.map(([, column]) => column)].map(
    bare,
  )
  const values = meta.map(([name]) => sql`value -> 'meta' ->> ${sql.raw(`'${name}'`)}`)
  const update = meta.map(([, column]) => sql`${bare(column)} = excluded.${bare(column)}`)
  return compile(
    sql`INSERT INTO ${nameOf(memberTable.table)} (${commas(columns)})
      SELECT ${commas([ifRoom(hasRoom, id, called), sql`value ->> 'id'`, ...values])} FROM ${sentTo(called)} WHERE ${claimed(source)}
      ON CONFLICT DO ${update.length > 0 ? sql`UPDATE SET ${commas(update)}` : sql`NOTHING`}`,
  )
}

/** The columns of attributes, with their key columns, and of the to-one ones among relationships. */
export function columnsOf(
  definition: StoredDefinition,
  attributes: readonly string[],
  relationships: readonly string[],
): SQLiteColumn[] {
  return [
    ...attributes.flatMap((name) => {
      const { column, key } = storedAttribute(definition, name)
      return key ? [column, key] : [column]
    }),
    ...relationships.flatMap((name) => {
      const { cardinality, stored } = storedRelationship(definition, name)
      return cardinality === 'one' ? [stored] : []
    }),
  ]
}

/** A column, and the value that it is set to. */
function cellOf(column: SQLiteColumn): [SQL, SQL] {
  return [bare(column), valueIn(column)]
}
