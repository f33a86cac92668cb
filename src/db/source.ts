import { getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { fold, letters } from '../jsonapi/declare/readable.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type {
  Attribute,
  Relationship,
  ResourceDefinition,
  Storage,
  ToMany,
} from '../jsonapi/declare/resource.ts'

/**
 * Where the resources of a type are stored. Ids are text of the characters that URLs need not escape (RFC
 * 3986, section 2.3: letters, digits and `._~-`), so that lists of them travel as plain text.
 */
export interface StoredType {
  readonly table: SQLiteTable
  readonly id: SQLiteColumn
  /** The subject of the person who owns the row. It has an index, which the quota counts in, and takes no null. */
  readonly owner?: SQLiteColumn
  /**
   * Names the state of the resource (contract, section 9): each write sets a new text. It takes no null, and has a default
   * for rows that are written by others. Needed where there are writes.
   */
  readonly revision?: SQLiteColumn
  /** The name of the counter that holds the number of rows; without one they are counted. */
  readonly counter?: string
  /** Small reference data: read whole, once per isolate, and kept in memory. */
  readonly kept?: true
}

/** Where an attribute is stored. */
interface StoredAttribute {
  readonly column: SQLiteColumn
  /** What is compared and sorted in its place: the letters of the value, text, never null. */
  readonly key?: SQLiteColumn
  /**
   * No two resources share the key: an order by it needs no further key. Values are told apart by more than their letters,
   * so that the key is the whole value without case.
   */
  readonly unique?: true
  /** `json`: the column holds JSON text. `sealed`: ciphertext, bound to the resource and the attribute. */
  readonly as?: 'json' | 'sealed'
}

/** A to-many relationship: a table of links, its primary key owner and target. */
interface LinkTable {
  readonly table: SQLiteTable
  readonly owner: SQLiteColumn
  /** It takes no null: the refusal to replace members that were not shown depends on it (see `replacement-sql.ts`). */
  readonly target: SQLiteColumn
}

/** What declarations say of storage in tables. */
export interface Tables extends Storage {
  readonly resource: StoredType
  readonly attribute: StoredAttribute
  /** A column with the related id. */
  readonly toOne: SQLiteColumn
  readonly toMany: LinkTable
  /** The column of the link table that holds the member. */
  readonly meta: SQLiteColumn
}

/** A resource type that is stored in tables. */
export type StoredDefinition = ResourceDefinition<Tables>

/** The resource types that are stored in tables. */
export type StoredRegistry = Registry<Tables>

/** Where an attribute is stored. @throws Error when it is not declared: a mistake of the program, never of a caller */
export function storedAttribute({ type, attributes }: StoredDefinition, name: string) {
  return declared<Attribute<Tables>>(attributes[name], type, name).stored
}

/** A relationship with its storage. @throws Error when it is not declared: a mistake of the program, never of a caller */
export function storedRelationship({ type, relationships }: StoredDefinition, name: string) {
  return declared<Relationship<Tables>>(relationships[name], type, name)
}

/** The column of the revision. @throws Error when none is declared: a mistake of the program, never of a caller */
export function revisionOf({ table, revision }: StoredType): SQLiteColumn {
  return declared(revision, getTableName(table), 'revision')
}

/** The columns of the meta of a relationship's identifiers by member. */
export function metaColumns({ meta = {} }: ToMany<Tables>): [name: string, column: SQLiteColumn][] {
  return Object.entries(meta).map(([name, { stored }]) => [name, stored])
}

/** The column that `id` or an attribute is compared and sorted by. */
export function keyColumn(definition: StoredDefinition, name: string): SQLiteColumn {
  if (name === 'id') {
    return definition.stored.id
  }
  const { key, column } = storedAttribute(definition, name)
  return key ?? column
}

/** What stands in {@link keyColumn} for a value: of an attribute with a key its letters, or the value without case. */
export function keyOf(definition: StoredDefinition, name: string, value: string): string {
  if (name === 'id') {
    return value
  }
  const { key, unique } = storedAttribute(definition, name)
  return key ? (unique ? fold(value) : letters(value)) : value
}

function declared<Value>(value: Value | undefined, type: string, name: string): Value {
  if (value === undefined) {
    throw new Error(`${type} has no ${name} that is stored`)
  }
  return value
}
