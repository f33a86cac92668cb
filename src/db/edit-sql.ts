import { type SQL, sql } from 'drizzle-orm'
import { revisionOf, type StoredType } from './source.ts'
import {
  all,
  type Bindable,
  bare,
  each,
  nameOf,
  type Parameter,
  param,
  type Statement,
} from './statement.ts'

// What the statements of edits share: their values, their conditions, and how they fail.

/** The values of one edit. */
export interface WriteValues {
  /** Names the edit in a failure of its batch. */
  readonly name: string
  readonly id: string
  /** The revision that the edit makes. */
  readonly revision: string
  /** The revisions of which the resource must have one, as a JSON array; null: any will do. */
  readonly expected: string | null
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

/** A statement of an edit. */
export type WriteStatement = Statement<WriteValues>

/** What failures call the edit. */
const name = param<WriteValues>((values) => values.name)
/** The id of the resource. */
export const id = param<WriteValues>((values) => values.id)
/** The revision that the edit makes. */
export const revision = param<WriteValues>((values) => values.revision)
/** How many resources of the type a person may own. */
export const mostOwned: Parameter<WriteValues> = (values) => values.mostOwned
/** How many members a relationship may have. */
export const mostMembers: Parameter<WriteValues> = (values) => values.mostMembers
/** The person who must own the resource. */
export const owner = param<WriteValues>((values) => values.owner)

/** A value where there is room; elsewhere a failure as `full`, with the name of the relationship. */
export function ifRoom(hasRoom: SQL, value: SQL, relationship: string): SQL {
  return sql`CASE WHEN ${hasRoom} THEN ${value} ELSE ${fail('full', literal(relationship))} END`
}

/** Why a batch fails where an edit cannot be done (contract, section 2). `undone`: it was only tried. */
export type Reason =
  | 'absent'
  | 'foreign'
  | 'stale'
  | 'unshown'
  | 'dangling'
  | 'taken'
  | 'full'
  | 'undone'

/**
 * Ends the transaction with a failure whose message holds the name of the edit, the reason, and a detail; does nothing
 * where the detail is NULL. SQLite raises errors of a statement's choice in triggers only; a path that is none fails, and
 * is repeated in the message.
 */
export function fail(reason: Reason, detail: SQL): SQL {
  return sql`json_extract('{}', ${name} || ${literal(`:${reason} `)} || ${detail})`
}

/** Fails where one of the texts is not NULL, with all that are not, each with a semicolon behind it. */
export function named(reason: Reason, texts: readonly SQL[]): SQL[] {
  const parts = texts.map((text) => sql`coalesce(${text} || ';', '')`)
  return parts.length === 0 ? [] : [fail(reason, sql`nullif(${sql.join(parts, sql` || `)}, '')`)]
}

/** A word of declarations as text in SQL. */
export function literal(word: string): SQL {
  return sql.raw(`'${word.replaceAll("'", "''")}'`)
}

/** Counts rows, and stops at the number in a parameter. */
export function countUpTo(most: Parameter<WriteValues>, rows: SQL): SQL {
  return sql`(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${param(most)}))`
}

/** The identifiers that were sent for a relationship. */
export function sentTo(name: string): SQL {
  return each<WriteValues>(({ members }) => members[name])
}

/** The resource, when the writer may change it. */
export function mine(stored: StoredType): SQL {
  const own = stored.owner
    ? [sql`${bare(stored.owner)} = coalesce(${owner}, ${bare(stored.owner)})`]
    : []
  return all([sql`${bare(stored.id)} = ${id}`, ...own])
}

/** The resource, when the writer may change it, and when it has an expected revision where one is expected. */
export function claimable(source: StoredType, isConditional: boolean): SQL {
  const expected = each<WriteValues>((values) => values.expected)
  return isConditional
    ? sql`${mine(source)} AND ${bare(revisionOf(source))} IN (SELECT value FROM ${expected})`
    : mine(source)
}

/** The resource, when the edit has claimed or inserted it. */
export function claimed(source: StoredType): SQL {
  return sql`EXISTS (SELECT 1 FROM ${nameOf(source.table)} WHERE ${bare(source.id)} = ${id} AND ${bare(revisionOf(source))} = ${revision})`
}
