import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Change } from '../jsonapi/run/store.ts'
import { revisionOf, type StoredType } from './source.ts'
import { all, type Bindable, bare, each, nameOf, param, type Statement } from './statement.ts'

// The parts that the statements of edits share: their values, their conditions, and their failures.

/** The value of each column that an edit sets. */
export type ColumnValues = Readonly<Record<`column ${string}`, Bindable>>

/** The values of one edit. */
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
  /** What earlier edits will have changed, as JSON (see `earlier.ts`). */
  readonly earlier: string
  /** The identifiers that were sent, by relationship: a JSON array of objects with `id` and `meta`. */
  readonly [linkage: `linkage ${string}`]: string
}

/** What the statements of a change are made from: names alone, since statements outlive the request that they are made for. */
export interface Shape {
  readonly kind: Change['kind']
  /** The attributes that were sent. */
  readonly attributes: readonly string[]
  /** The relationships that were sent, or the one whose members change. */
  readonly relationships: readonly string[]
}

/** A statement of an edit. */
export type WriteStatement = Statement<WriteValues>

/** The name of the edit in failures. */
const name = param<WriteValues>('name')
/** The id of the resource. */
export const id = param<WriteValues>('id')
/** The revision that the edit makes. */
export const revision = param<WriteValues>('revision')
/** How many resources of the type a person may own. */
export const mostOwned = param<WriteValues>('mostOwned')
/** How many members a relationship may have. */
export const mostMembers = param<WriteValues>('mostMembers')
/** How many members may not name a resource that is deleted; 0 where any number may. */
export const tooManyLinks = param<WriteValues>('tooManyLinks')
/** The person who must own the resource. */
export const owner = param<WriteValues>('owner')
/** The value that a column is set to. */
export const valueIn = (column: SQLiteColumn): SQL => param<WriteValues>(`column ${column.name}`)

/** The items of an array or object in what earlier edits will have changed; there are none where it is absent. */
const earlierItems = (...path: readonly string[]): SQL =>
  sql`json_each(${param<WriteValues>('earlier')}, ${pathOf(path)})`
/** The ids of resources of a type that earlier edits delete. */
export const gone = (type: string): SQL => earlierItems('gone', type)
/** The ids of resources of a type that earlier edits create. */
export const made = (type: string): SQL => earlierItems('made', type)
/** By id, the values that earlier edits give a column of a unique attribute or a to-one relationship. */
export const held = (type: string, column: SQLiteColumn): SQL =>
  earlierItems('held', `${type}.${column.name}`)
/** The ids of members that earlier edits add or remove. */
export const touched = (name: string): SQL => earlierItems('members', name, 'touched')
/** The ids of those among them that are members then. */
export const added = (name: string): SQL => earlierItems('members', name, 'added')
/** Are the stored members of a relationship members still after the earlier edits? */
export const isStored = (name: string): SQL =>
  sql`coalesce(${param<WriteValues>('earlier')} ->> ${pathOf(['members', name, 'isStored'])}, 1)`

/** A path of members in JSON, as a string of SQL. */
function pathOf(members: readonly string[]): SQL {
  return literal(`$${members.map((member) => `."${member}"`).join('')}`)
}

/** A value where a quota has room; otherwise a failure as `full` with the name of the relationship. */
export function ifRoom(hasRoom: SQL, value: SQL, relationship: string): SQL {
  return sql`CASE WHEN ${hasRoom} THEN ${value} ELSE ${fail('full', literal(relationship))} END`
}

/** The reason for which a batch fails (contract, section 2). */
export type Reason =
  | 'absent'
  | 'foreign'
  | 'stale'
  | 'unshown'
  | 'dangling'
  | 'taken'
  | 'full'
  | 'linked'
  | 'needed'

/**
 * Ends the transaction with a failure whose message holds the name of the edit, the reason and a detail. It is NULL and does
 * nothing where the detail is NULL. SQLite has RAISE in triggers only, but `json_extract` fails for a path that is not valid,
 * and its message repeats the path.
 */
export function fail(reason: Reason, detail: SQL): SQL {
  return sql`json_extract('{}', ${name} || ${literal(`:${reason} `)} || ${detail})`
}

/** Fails where at least one of the texts is not NULL. The detail holds all texts that are not NULL, each followed by a semicolon. */
export function named(reason: Reason, texts: readonly SQL[]): SQL[] {
  const parts = texts.map((text) => sql`coalesce(${text} || ';', '')`)
  return parts.length === 0 ? [] : [fail(reason, sql`nullif(${sql.join(parts, sql` || `)}, '')`)]
}

/** A word of a declaration as a string of SQL. */
export function literal(word: string): SQL {
  return sql`${word}`.inlineParams()
}

/** The number of rows, counted up to the value of a parameter. */
export function countUpTo(most: SQL, rows: SQL): SQL {
  return sql`(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${most}))`
}

/** The values of {@link each}, as a list to compare with. */
export function among(items: SQL): SQL {
  return sql`(SELECT value FROM ${items})`
}

/** The identifiers that were sent for a relationship. */
export function sentTo(name: string): SQL {
  return each<WriteValues>(`linkage ${name}`)
}

/** The condition that a row is the resource, and that the writer may change it. */
export function mine(stored: StoredType): SQL {
  const own = stored.owner
    ? [sql`${bare(stored.owner)} = coalesce(${owner}, ${bare(stored.owner)})`]
    : []
  return all([sql`${bare(stored.id)} = ${id}`, ...own])
}

/** The condition of {@link mine}, and, for a conditional edit, that the resource has one of the expected revisions. */
export function claimable(source: StoredType, isConditional: boolean): SQL {
  const expected = each<WriteValues>('expected')
  return isConditional
    ? sql`${mine(source)} AND ${bare(revisionOf(source))} IN (SELECT value FROM ${expected})`
    : mine(source)
}

/** The condition that this edit has claimed or inserted the resource. */
export function claimed(source: StoredType): SQL {
  return sql`EXISTS (SELECT 1 FROM ${nameOf(source.table)} WHERE ${bare(source.id)} = ${id} AND ${bare(revisionOf(source))} = ${revision})`
}
