import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

/** Where an attribute is stored. */
export interface StoredAttribute {
  readonly column: SQLiteColumn
  /** What is compared and sorted in its place: the value folded to lower case, text, never null. */
  readonly key?: SQLiteColumn
  /** No two resources share the key: an order by it needs no further key. */
  readonly unique?: true
  /** `json`: the column holds JSON text. `sealed`: ciphertext, bound to the resource and the attribute. */
  readonly codec?: 'json' | 'sealed'
}

/** A to-one relationship: a column with the related id. */
interface ForeignKey {
  readonly column: SQLiteColumn
}

/**
 * A to-many relationship: a table of links, its primary key owner and target. The column of the owner takes no null:
 * the quota of members depends on it (see `write-sql.ts`).
 */
export interface LinkTable {
  readonly table: SQLiteTable
  readonly owner: SQLiteColumn
  readonly target: SQLiteColumn
  /** Columns behind the members of the identifiers' meta: text of letters, digits and `._~-`. */
  readonly meta?: Readonly<Record<string, SQLiteColumn>>
}

/** Where a relationship is stored. */
export type StoredRelationship = ForeignKey | LinkTable

/**
 * Where the resources of a type are stored. Ids are text of the characters that URLs need not escape (RFC
 * 3986, section 2.3: letters, digits and `._~-`), so that lists of them travel as plain text.
 */
export interface TableSource {
  readonly table: SQLiteTable
  readonly id: SQLiteColumn
  /** The subject of the person who owns the row. It has an index and takes no null: the quota depends on both. */
  readonly owner?: SQLiteColumn
  readonly attributes: Readonly<Record<string, StoredAttribute>>
  readonly relationships: Readonly<Record<string, StoredRelationship>>
  /** The name of the counter that holds the number of rows; without one they are counted. */
  readonly counter?: string
  /** Small reference data: read whole, once per isolate, and kept in memory. */
  readonly kept?: true
}

/** Is the relationship stored as a table of links? */
export function isLinkTable(stored: StoredRelationship): stored is LinkTable {
  return 'table' in stored
}

/**
 * A member of a map that the declaration promises.
 *
 * @throws Error when it is not there: a mistake of the program, never of a caller
 */
export function declared<Value>(map: Readonly<Record<string, Value>>, name: string): Value {
  const value = map[name]
  if (value === undefined) {
    throw new Error(`${name} is not stored anywhere`)
  }
  return value
}
