import { type ColumnBaseConfig, type GetColumnData, is, Param, SQL, sql } from 'drizzle-orm'
import { alias, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Attribute, Relationship, ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { Member } from '../jsonapi/run/port.ts'

/** A column of texts. */
type TextColumn = SQLiteColumn<ColumnBaseConfig<'string', string>>

/** A column of texts that is not null. */
type TextNotNull = SQLiteColumn<ColumnBaseConfig<'string', string> & { readonly notNull: true }>

/** A column whose values are the same in documents. */
type PlainColumn = SQLiteColumn<ColumnBaseConfig<'string' | 'number' | 'boolean' | 'date', string>>

/**
 * Where the resources of a type are stored. Ids are texts of the characters that URLs do not escape (RFC 3986, section 2.3:
 * letters, digits and `._~-`), so that statements and documents can hold them as they are.
 */
interface StoredType {
  readonly table: SQLiteTable
  readonly id: TextNotNull
  /** The subject of the person who owns the row. The column has an index for counting against the quota. */
  readonly owner?: TextNotNull
  /**
   * The revision of the resource: a text that each write replaces. The column has a default for rows that
   * other programs insert. Required for a type with write operations.
   */
  readonly revision?: TextNotNull
  /**
   * The name of the counter that holds the number of rows. Writes count; where there are rows already, a migration makes its row.
   * Without a counter the rows are counted for each total.
   */
  readonly counter?: string
}

/** An attribute whose column holds its value as it is: it can be compared. */
interface PlainAttribute {
  readonly column: PlainColumn
  readonly as?: undefined
  /**
   * A column that sorts and filters use in place of `column`. It holds the sort key of the value, or the
   * whole value without case if `unique` is set. If there is no value it holds the empty text, which is its default.
   */
  readonly key?: TextNotNull
  /** No two resources have the same key, so an order by this attribute needs no further key. */
  readonly unique?: true
}

/**
 * An attribute whose column holds another form of its value: JSON text (`json`), or ciphertext that is bound to the resource
 * and the attribute (`sealed`). It has no key column, which would hold the plaintext.
 */
interface EncodedAttribute {
  readonly column: TextColumn
  readonly as: 'json' | 'sealed'
  readonly key?: never
  readonly unique?: never
}

/** An attribute without a column: a function computes its value from columns of the row. */
export interface ComputedAttribute {
  readonly columns: Readonly<Record<string, SQLiteColumn>>
  readonly value: (row: Readonly<Record<string, unknown>>) => unknown
}

/** Where an attribute is stored. */
type StoredAttribute = PlainAttribute | EncodedAttribute

/** A filter that is no attribute: its condition for the text that was sent. Statements name the table by an alias. */
interface StoredFilter {
  readonly table: SQLiteTable
  readonly condition: (alias: string, text: string) => SQL
}

/** The table of the members of a to-many relationship: a row for each member. Its primary key is owner and target. */
interface MemberTable {
  readonly table: SQLiteTable
  /** The id of the resource that has the relationship. */
  readonly owner: TextNotNull
  /** The id of the member. */
  readonly target: TextNotNull
}

declare module '../jsonapi/declare/resource.ts' {
  interface Stored {
    readonly resource: StoredType
    readonly attribute: StoredAttribute | ComputedAttribute
    readonly filter: StoredFilter
    /** The column that holds the id of the related resource. */
    readonly toOne: SQLiteColumn
    readonly toMany: MemberTable
    /** The column of the member table that holds this member of `meta`. */
    readonly meta: SQLiteColumn
  }
}

/** Declares an attribute that is computed. `value` gets the values of the columns; null means that the attribute has none. */
export function computed<Columns extends ComputedAttribute['columns']>(
  columns: Columns,
  value: (row: { readonly [Name in keyof Columns]: GetColumnData<Columns[Name]> }) => unknown,
): ComputedAttribute {
  return { columns, value: value as ComputedAttribute['value'] }
}

/**
 * Declares a filter that is no attribute: an expression of Drizzle over the table, for the text that was sent. Nothing is found where the
 * expression has a number or a time that no column can hold.
 */
export function filterBy<Table extends SQLiteTable>(
  table: Table,
  condition: (table: Table, text: string) => SQL,
): StoredFilter {
  return {
    table,
    condition(name, text) {
      const expression = condition(alias(table, name) as unknown as Table, text)
      return isHeld(expression) ? expression : sql`false`
    },
  }
}

/** Is the attribute computed? */
export function isComputed(stored: Attribute['stored']): stored is ComputedAttribute {
  return 'value' in stored
}

/** Where an attribute is stored. It must be declared, and not computed. */
export function storedAttribute({ attributes }: ResourceDefinition, name: string) {
  return (attributes[name] as Attribute).stored as StoredAttribute
}

/** A relationship with its storage. It must be declared. */
export function storedRelationship({ relationships }: ResourceDefinition, name: string) {
  return relationships[name] as Relationship
}

/** Where the members of a relationship are stored. `memberOf` makes a member from the values of the `columns` of a row. */
export function storedMembers(definition: ResourceDefinition, name: string) {
  const relationship = storedRelationship(definition, name)
  const isMany = relationship.cardinality === 'many'
  const { table, id } = definition.stored
  const stored = isMany ? relationship.stored : { table, owner: id, target: relationship.stored }
  const declared = Object.entries((isMany && relationship.meta) || {})
  const meta = declared.map(([name, { stored }]) => [name, stored] as const)
  const memberOf = (values: readonly unknown[]): Member => {
    const id = values[0] as string
    const members = meta.map(([name], index) => [name, values[index + 1]])
    return meta.length > 0 ? { id, meta: Object.fromEntries(members) } : { id }
  }
  const columns = [stored.target, ...meta.map(([, column]) => column)]
  return { ...stored, type: relationship.target, isMany, meta, columns, memberOf }
}

/** The column that sorts and filters by `id` or an attribute use. */
export function keyColumn(definition: ResourceDefinition, name: string): SQLiteColumn {
  if (name === 'id') {
    return definition.stored.id
  }
  const { key, column } = storedAttribute(definition, name)
  return key ?? column
}

/** The value of {@link keyColumn} for a value of `id` or an attribute. */
export function keyValue(definition: ResourceDefinition, name: string, value: string): string {
  if (name === 'id') {
    return value
  }
  const { key, unique } = storedAttribute(definition, name)
  return key ? (unique ? foldCase(value) : sortKey(value)) : value
}

/** Combining marks of Latin, Greek and Cyrillic. In other scripts marks can be vowels. */
const accents = /[\u0300-\u036f]/g

/** Letters that Unicode does not decompose, each with the letters that it sorts as. */
const baseLetters: ReadonlyMap<string, string> = new Map(
  'ø o, ł l, đ d, ð d, þ th, æ ae, œ oe, ß ss, ı i, ħ h, ŧ t, ŋ n, ə e, ɛ e, ɔ o, ɓ b, ɗ d, ƙ k, ƴ y, ς σ'
    .split(', ')
    .map((pair): [string, string] => [pair.slice(0, 1), pair.slice(2)]),
)

/** How many characters of a text an order compares. */
const maxSortKeyLength = 128

/** The text that a text is sorted by: its base letters, without case and accents. */
export function sortKey(text: string): string {
  const folded = foldCase(text.normalize('NFKD').replace(accents, ''))
  const letters = Array.from(folded, (letter) => baseLetters.get(letter) ?? letter)
  return [...letters.join('')].slice(0, maxSortKeyLength).join('')
}

/** A text without case: the form in which unique values, and items of filters by them, are compared. */
export function foldCase(text: string): string {
  return text.toLowerCase()
}

/** The value that a column holds for a text in a document or a filter. */
export function columnValue({ dataType }: SQLiteColumn, text: string): unknown {
  switch (dataType) {
    case 'number':
      return Number(text)
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : undefined)
    case 'date':
      return new Date(text)
    default:
      return text
  }
}

/** The value of {@link keyColumn} for a text in a filter; undefined if the column cannot hold it, so that no row has it. */
export function filterKey(definition: ResourceDefinition, name: string, text: string): unknown {
  const column = keyColumn(definition, name)
  const value = columnValue(column, keyValue(definition, name, text))
  return isHeld(value) ? value : undefined
}

/** The values of a column for the driver. Values that the column cannot hold, for which `decode` returns undefined, are left out. */
export function driverValues(
  column: SQLiteColumn,
  values: readonly never[],
  decode: (value: never) => unknown = (value) => value,
): unknown[] {
  return values
    .map(decode)
    .filter((value) => value !== undefined)
    .map(column.mapToDriverValue, column)
}

/** Can columns hold the value, or each value of an expression? Whole numbers and times have bounds. */
function isHeld(value: unknown): boolean {
  if (value instanceof Date) {
    return isTime(value)
  }
  const parts = is(value, SQL) ? value.queryChunks : is(value, Param) ? [value.value] : value
  return Array.isArray(parts)
    ? parts.every(isHeld)
    : typeof parts !== 'number' || Number.isSafeInteger(parts)
}

/** Is it a time that documents can hold? Their years have four digits, and PostgreSQL knows no year 0. */
export function isTime(value: Date): boolean {
  return value >= firstTime && value <= lastTime
}

const firstTime = new Date('0001-01-01T00:00:00Z')
const lastTime = new Date('9999-12-31T23:59:59.999Z')

/** The text that stands for the value of a column. */
export function textOf(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value)
}

/** The context of a sealed value. A ciphertext that is moved to another resource cannot be decrypted. */
export function sealContext(type: string, id: string, attribute: string): string {
  return `${type}/${id}/${attribute}`
}
