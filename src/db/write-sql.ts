import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import {
  countAt,
  counting,
  failing,
  isTrueAt,
  joinedTexts,
  lesser,
  membersAt,
  objects,
  textsAt,
} from '#dialect'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition, ToMany } from '../jsonapi/declare/resource.ts'
import type { Change, Refusal } from '../jsonapi/run/store.ts'
import {
  keyColumn,
  type MemberTable,
  metaColumns,
  revisionOf,
  type StoredType,
  storedAttribute,
  storedRelationship,
} from './source.ts'
import {
  all,
  at,
  type Bindable,
  bare,
  commas,
  compile,
  each,
  literal,
  param,
  type Statement,
  tableName,
} from './statement.ts'

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
 *
 * The probe of an edit changes nothing. It fails with the reason for which the other statements would do nothing or fail.
 */

/** What the statements of an edit are made from: names alone, since statements outlive the request that they are made for. */
export interface Shape {
  readonly kind: Change['kind']
  /** The attributes that were sent. */
  readonly attributes: readonly string[]
  /** The relationships that were sent, or the one whose members change. */
  readonly relationships: readonly string[]
  /** Must the resource have one of the revisions that the edit expects? */
  readonly isConditional: boolean
}

/** The value of each column that an edit sets. */
export type ColumnValues = Readonly<Record<`column ${string}`, Bindable>>

/** The values of an edit, by the names of parameters. A statement takes some of them. */
export interface WriteValues extends ColumnValues {
  /** The name of the edit in the failures of its statements. */
  readonly name: string
  readonly id: string
  /** The revision that the edit makes. */
  readonly revision: string
  /** The revisions of which the resource must have one, as a JSON array; null where any revision will do. */
  readonly expected: string | null
  /** The subject of the person who must own the resource; null where anyone may write. */
  readonly owner: string | null
  /** The most resources that one person may own, and the most members of one relationship. */
  readonly mostOwned: number
  readonly mostMembers: number
  /** So many members may not name a resource that is deleted, and no more are counted; 0 where any number may. */
  readonly tooManyLinks: number
  /** What the earlier edits of the write will have changed, as JSON (see `earlier.ts`). */
  readonly earlier: string
  /** The identifiers that were sent, by relationship: a JSON array of objects with `id` and `meta`. */
  readonly [linkage: `linkage ${string}`]: string
}

type WriteStatement = Statement<WriteValues>

const id = param<WriteValues>('id')
const revision = param<WriteValues>('revision')
const owner = param<WriteValues>('owner')
const mostOwned = param<WriteValues>('mostOwned')
const mostMembers = param<WriteValues>('mostMembers')
const tooManyLinks = param<WriteValues>('tooManyLinks')

/** The identifiers that were sent for a relationship. */
const sentTo = (name: string): SQL => objects(param<WriteValues>(`linkage ${name}`))

/** The statements that make an edit. One of them inserts the resource, or claims it and alone returns a row. */
export function editStatements(definition: ResourceDefinition, shape: Shape): WriteStatement[] {
  const { kind, relationships } = shape
  const { stored } = definition
  const toMany = toManyAmong(definition, relationships)
  const puts = () =>
    toMany.map(([name, relationship]) => putStatement(stored, name, relationship, kind))
  const drops = () =>
    toMany.map(([name, relationship]) => dropStatement(stored, name, relationship, kind))
  switch (kind) {
    case 'create':
      return [...insertStatements(definition), ...puts()]
    case 'delete':
      return deleteStatements(stored, shape)
    case 'add':
      return [claimStatement(definition, shape), ...puts()]
    case 'remove':
      return [claimStatement(definition, shape), ...drops()]
    default:
      // What is put in may be refused because of its targets, so that it comes before anything is removed: else a refused write
      // could remove many members and undo that.
      return [claimStatement(definition, shape), ...puts(), ...drops()]
  }
}

/** Reads the revision of a resource. There is no row where the resource does not exist. */
export function revisionStatement(source: StoredType): WriteStatement {
  return compile(
    sql`SELECT ${bare(revisionOf(source))} AS revision FROM ${tableName(source.table)} WHERE ${bare(source.id)} = ${id}`,
  )
}

/**
 * Inserts a resource, and counts it. Fails as `full` when the person owns as many resources of the type as the quota allows.
 */
function insertStatements(definition: ResourceDefinition): WriteStatement[] {
  const source = definition.stored
  const cells: [SQLiteColumn, SQL][] = [
    [source.id, id],
    [revisionOf(source), revision],
  ]
  if (source.owner) {
    cells.push([source.owner, ifRoom(hasRoomToOwn(definition, 'now'), owner, '')])
  }
  cells.push(...columnsOf(definition).map(withValue))
  const insert = compile<WriteValues>(
    sql`INSERT INTO ${tableName(source.table)} (${commas(cells.map(([column]) => bare(column)))})
      VALUES (${commas(cells.map(([, value]) => value))})`,
  )
  // The insert adds one row, or fails and ends the transaction.
  return [insert, ...countStatements(source, 1, sql`TRUE`)]
}

/**
 * Claims a resource: sets its revision and the columns of the attributes and to-one relationships that were sent.
 */
function claimStatement(definition: ResourceDefinition, shape: Shape): WriteStatement {
  const { attributes, relationships, isConditional } = shape
  const source = definition.stored
  const cells: [SQLiteColumn, SQL][] = [
    [revisionOf(source), revision],
    ...columnsOf(definition, attributes, relationships).map(withValue),
  ]
  const set = cells.map(([column, value]) => sql`${bare(column)} = ${value}`)
  return compile(
    sql`UPDATE ${tableName(source.table)} SET ${commas(set)} WHERE ${claimable(source, isConditional)} RETURNING 1 AS claimed`,
  )
}

/**
 * Claims a resource and deletes it, and counts that. Foreign keys delete its members, and its memberships in other resources.
 */
function deleteStatements(source: StoredType, { isConditional }: Shape): WriteStatement[] {
  const condition = claimable(source, isConditional)
  return [
    // Before the row is gone: it is counted out under the condition under which it is deleted.
    ...countStatements(source, -1, exists(source, condition)),
    compile(sql`DELETE FROM ${tableName(source.table)} WHERE ${condition} RETURNING 1 AS claimed`),
  ]
}

/** Changes the counter of a type where a condition holds; no statement for a type without a counter. */
function countStatements(
  { counter }: StoredType,
  change: 1 | -1,
  condition: SQL,
): WriteStatement[] {
  return counter === undefined ? [] : [compile(counting(literal(counter), change, condition))]
}

/**
 * Makes the identifiers that were sent members of a to-many relationship. One that is a member already takes the `meta` that was
 * sent. Fails as `full` with the name of the relationship when it would have more members than the quota allows.
 */
function putStatement(
  source: StoredType,
  name: string,
  relationship: ToMany,
  kind: Shape['kind'],
): WriteStatement {
  const { table, owner, target } = relationship.stored
  const meta = metaColumns(relationship)
  const columns = [owner, target, ...meta.map(([, column]) => column)].map(bare)
  const values = meta.map(([member]) => sql`value -> 'meta' ->> ${literal(member)}`)
  const update = meta.map(([, column]) => sql`${bare(column)} = excluded.${bare(column)}`)
  const room = hasRoomFor(relationship, name, kind, 'now')
  return compile(
    sql`INSERT INTO ${tableName(table)} (${commas(columns)})
      SELECT DISTINCT ${commas([ifRoom(room, id, name), sql`value ->> 'id'`, ...values])} FROM ${sentTo(name)} WHERE ${claimed(source)}
      ON CONFLICT (${commas([owner, target].map(bare))}) DO ${update.length > 0 ? sql`UPDATE SET ${commas(update)}` : sql`NOTHING`}`,
  )
}

/** Removes members from a to-many relationship: those that were sent, or, in a replacement, all others. */
function dropStatement(
  source: StoredType,
  name: string,
  { stored: { table, owner, target } }: ToMany,
  kind: Shape['kind'],
): WriteStatement {
  const isIn = kind === 'remove' ? sql`IN` : sql`NOT IN`
  const isDropped = sql`${bare(target)} ${isIn} (SELECT value ->> 'id' FROM ${sentTo(name)})`
  return compile(
    sql`DELETE FROM ${tableName(table)} WHERE ${all([sql`${bare(owner)} = ${id}`, isDropped, claimed(source)])}`,
  )
}

/**
 * The statement that fails with the reason where the statements of an edit cannot make it; otherwise it does nothing. It checks
 * in the order of the contract, section 2. It judges the state that the edit will find: that of the database with the changes in the
 * parameter `earlier`, which are those that earlier edits of the write have still to make (see `earlier.ts`).
 */
export function probeStatement(
  registry: Registry,
  definition: ResourceDefinition,
  { kind, attributes, relationships, isConditional }: Shape,
): WriteStatement {
  const { stored, type } = definition
  const claims =
    kind === 'create'
      ? []
      : [
          fail('absent', unless(there(definition, id))),
          // Whoever makes a resource owns it.
          fail(
            'foreign',
            unless(sql`(${id} IN ${among(made(type))} OR ${exists(stored, mine(stored))})`),
          ),
          ...(isConditional
            ? [fail('stale', unless(exists(stored, claimable(stored, true))))]
            : []),
        ]
  const links = kind === 'delete' ? manyLinks(registry, definition) : undefined
  const unique = attributes.filter((name) => storedAttribute(definition, name).unique)
  // The targets of members that are removed need not exist.
  const targeting = kind === 'remove' ? [] : relationships
  const checks = [
    ...claims,
    ...(links ? [fail('linked', links)] : []),
    ...failNaming(
      'dangling',
      targeting.map((name) => missingOf(registry, definition, name)),
    ),
    ...failNaming(
      'taken',
      unique.map((name) => takenBy(definition, name)),
    ),
    ...(kind === 'create' ? [ifRoom(hasRoomToOwn(definition, 'then'), sql`NULL`, '')] : []),
    ...toManyAmong(definition, targeting).map(([name, relationship]) =>
      ifRoom(hasRoomFor(relationship, name, kind, 'then'), sql`NULL`, name),
    ),
  ]
  // `coalesce` takes two arguments at least, and evaluates them in order until one is not NULL.
  return compile(sql`SELECT coalesce(${commas([sql`NULL`, sql`NULL`, ...checks])}) AS probe`)
}

/** The condition that a resource of a type is there. */
function there({ type, stored }: ResourceDefinition, one: SQL): SQL {
  return sql`(${one} NOT IN ${among(gone(type))} AND (${one} IN ${among(made(type))}
    OR EXISTS (SELECT 1 FROM ${tableName(stored.table)} AS t WHERE ${at('t', stored.id)} = ${one})))`
}

/** The name of a relationship and the indexes of the identifiers whose targets do not exist; NULL where all exist. */
function missingOf(registry: Registry, definition: ResourceDefinition, name: string): SQL {
  const target = registry.get(storedRelationship(definition, name).target)
  return sql`(SELECT ${literal(`${name} `)} || ${joinedTexts(sql`key`, sql`key`)} FROM ${sentTo(name)}
    WHERE NOT ${there(target, sql`value ->> 'id'`)})`
}

/** The name of a unique attribute where another resource has its value; NULL where none has it. */
function takenBy(definition: ResourceDefinition, name: string): SQL {
  const { type, stored } = definition
  const column = keyColumn(definition, name)
  const value = valueIn(column)
  const own = bare(stored.id)
  return sql`(SELECT ${literal(name)} WHERE EXISTS (SELECT 1 FROM ${held(type, column)} WHERE value = ${value} AND key <> ${id})
    OR EXISTS (SELECT 1 FROM ${tableName(stored.table)} WHERE ${bare(column)} = ${value} AND ${own} <> ${id}
      AND ${own} NOT IN (SELECT key FROM ${held(type, column)})))`
}

/*
 * The expressions that judge bounds: how many resources a person owns, how many members a relationship has, and how many members
 * name a resource. Each counts entries of one index, and no more of them than the bound allows and one.
 */

/** When a bound is judged: as the database is, or as it will be after the earlier edits of the write (see `earlier.ts`). */
type When = 'now' | 'then'

/** The members of a relationship: rows of its table, and a number of further ones that have no row yet. */
interface Members {
  readonly rows: SQL
  readonly further: SQL
  /** The condition that an id is none of the further ones. */
  readonly isNew: (id: SQL) => SQL
}

function membersOf({ table, owner, target }: MemberTable, name: string, when: When): Members {
  const rows = sql`${tableName(table)} WHERE ${bare(owner)} = ${id}`
  return when === 'now'
    ? { rows, further: sql`0`, isNew: () => sql`TRUE` }
    : {
        rows: sql`${rows} AND ${isStored(name)} AND ${bare(target)} NOT IN ${among(touched(name))}`,
        further: sql`(SELECT count(*) FROM ${added(name)})`,
        isNew: (one) => sql`${one} NOT IN ${among(added(name))}`,
      }
}

/** The condition that the quota has room for one more resource of a person (contract, section 15); it holds for a type without owners. */
function hasRoomToOwn({ type, stored }: ResourceDefinition, when: When): SQL {
  if (!stored.owner) {
    return sql`TRUE`
  }
  const isOwn = sql`${bare(stored.owner)} = ${owner}`
  const owned = sql`${tableName(stored.table)} WHERE ${isOwn}`
  if (when === 'now') {
    return sql`${countUpTo(mostOwned, owned)} < ${mostOwned}`
  }
  // The index of owners holds no ids, so that those which earlier edits delete are counted, too, and taken off.
  const counted = countUpTo(sql`${mostOwned} + ${countAt(earlier, ['gone', type])}`, owned)
  const left = sql`(SELECT count(*) FROM ${gone(type)} AS i WHERE ${exists(stored, sql`${bare(stored.id)} = i.value AND ${isOwn}`)})`
  return sql`${counted} - ${left} + ${countAt(earlier, ['made', type])} < ${mostOwned}`
}

/**
 * The condition that the quota has room for the members that were sent (contract, section 15). Where they are added, those that
 * are members already take no room; else no others stay.
 */
function hasRoomFor({ stored }: ToMany, name: string, kind: Shape['kind'], when: When): SQL {
  const one = sql`value ->> 'id'`
  if (kind !== 'add') {
    return sql`(SELECT count(DISTINCT ${one}) FROM ${sentTo(name)}) <= ${mostMembers}`
  }
  const { rows, further, isNew } = membersOf(stored, name, when)
  const isAbsent = sql`NOT EXISTS (SELECT 1 FROM ${rows} AND ${bare(stored.target)} = ${one})`
  const news = sql`(SELECT count(DISTINCT ${one}) FROM ${sentTo(name)} WHERE ${all([isNew(one), isAbsent])})`
  return sql`${lesser(sql`${countUpTo(mostMembers, rows)} + ${further}`, mostMembers)} + ${news} <= ${mostMembers}`
}

/**
 * The text that is NULL unless more members of relationships name the resource than may be deleted with it (contract,
 * section 13); undefined where no to-many relationship leads to the type.
 */
function manyLinks(registry: Registry, { type }: ResourceDefinition): SQL | undefined {
  const links = registry.types
    .map(registry.get)
    .flatMap((definition) =>
      toManyAmong(definition, Object.keys(definition.relationships)).flatMap(
        ([, { target, stored }]) =>
          target === type
            ? [sql`SELECT 1 FROM ${tableName(stored.table)} WHERE ${bare(stored.target)} = ${id}`]
            : [],
      ),
    )
  return links.length === 0
    ? undefined
    : sql`CASE WHEN (SELECT count(*) FROM (${sql.join(links, sql` UNION ALL `)} LIMIT ${tooManyLinks}) AS few) >= nullif(${tooManyLinks}, 0) THEN '' END`
}

/** The number of rows, counted up to a bound. */
function countUpTo(most: SQL, rows: SQL): SQL {
  return sql`(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${most}) AS few)`
}

/* What the earlier edits of the write will have changed: see `Earlier` in `earlier.ts`. */

const earlier = param<WriteValues>('earlier')
const gone = (type: string): SQL => textsAt(earlier, ['gone', type])
const made = (type: string): SQL => textsAt(earlier, ['made', type])
const held = (type: string, column: SQLiteColumn): SQL =>
  membersAt(earlier, ['held', `${type}.${column.name}`])
const touched = (name: string): SQL => textsAt(earlier, ['members', name, 'touched'])
const added = (name: string): SQL => textsAt(earlier, ['members', name, 'added'])
const isStored = (name: string): SQL => isTrueAt(earlier, ['members', name, 'isStored'])

/** The texts of a table with the column `value`, as a list to compare with. */
function among(items: SQL): SQL {
  return sql`(SELECT value FROM ${items})`
}

/**
 * Ends the transaction with a failure whose message holds the name of the edit, the reason and a detail. It is NULL and does
 * nothing where the detail is NULL.
 */
function fail(reason: Refusal['kind'], detail: SQL): SQL {
  return failing(sql`${param<WriteValues>('name')} || ${literal(`:${reason} `)} || ${detail}`)
}

/** Fails where at least one of the texts is not NULL. The detail holds all texts that are not NULL, each followed by a semicolon. */
function failNaming(reason: Refusal['kind'], texts: readonly SQL[]): SQL[] {
  const parts = texts.map((text) => sql`coalesce(${text} || ';', '')`)
  return parts.length === 0 ? [] : [fail(reason, sql`nullif(${sql.join(parts, sql` || `)}, '')`)]
}

/** A value where a quota has room; otherwise a failure as `full` with the name of the relationship. */
function ifRoom(hasRoom: SQL, value: SQL, relationship: string): SQL {
  return sql`CASE WHEN ${hasRoom} THEN ${value} ELSE ${fail('full', literal(relationship))} END`
}

/** A detail of a failure that says nothing more; NULL where a condition holds. */
function unless(condition: SQL): SQL {
  return sql`CASE WHEN NOT ${condition} THEN '' END`
}

/** The condition that a row is the resource, and that the writer may change it. */
function mine(stored: StoredType): SQL {
  const own = stored.owner
    ? [sql`${bare(stored.owner)} = coalesce(${owner}, ${bare(stored.owner)})`]
    : []
  return all([sql`${bare(stored.id)} = ${id}`, ...own])
}

/** The condition of {@link mine}, and, for a conditional edit, that the resource has one of the expected revisions. */
function claimable(source: StoredType, isConditional: boolean): SQL {
  return isConditional
    ? sql`${mine(source)} AND ${bare(revisionOf(source))} IN ${among(each<WriteValues>('expected'))}`
    : mine(source)
}

/** The condition that this edit has claimed or inserted the resource. */
function claimed(source: StoredType): SQL {
  return exists(
    source,
    sql`${bare(source.id)} = ${id} AND ${bare(revisionOf(source))} = ${revision}`,
  )
}

/** The condition that the table of a type has a row. */
function exists({ table }: StoredType, condition: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM ${tableName(table)} WHERE ${condition})`
}

/** The columns of attributes, with their key columns, and of the to-one ones among relationships: of all, or of those with a name. */
function columnsOf(
  definition: ResourceDefinition,
  attributes: readonly string[] = Object.keys(definition.attributes),
  relationships: readonly string[] = Object.keys(definition.relationships),
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

/** The to-many ones among relationships, with their names. */
function toManyAmong(
  definition: ResourceDefinition,
  names: readonly string[],
): [name: string, relationship: ToMany][] {
  return names.flatMap((name): [string, ToMany][] => {
    const relationship = storedRelationship(definition, name)
    return relationship.cardinality === 'many' ? [[name, relationship]] : []
  })
}

/** The value that a column is set to. */
function valueIn(column: SQLiteColumn): SQL {
  return param<WriteValues>(`column ${column.name}`)
}

function withValue(column: SQLiteColumn): [SQLiteColumn, SQL] {
  return [column, valueIn(column)]
}
