import { Column, getTableName, is } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { AccessRule } from '../jsonapi/declare/access.ts'
import { isRead, type Operation } from '../jsonapi/declare/operation.ts'
import { filtersOf, sortsOf } from '../jsonapi/declare/readable.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type {
  Attribute,
  OperationRule,
  Pagination,
  Relationship,
  ResourceDefinition,
} from '../jsonapi/declare/resource.ts'
import { maxPageSize } from '../jsonapi/request/cursor.ts'
import { accepts, isEnumeration } from '../jsonapi/validate.ts'

/** Sentences, each of which says why a declaration cannot be served, and what to write. */
type Problems = Iterable<string>

/** A resource type, and what it is declared with. */
interface Declared {
  readonly definition: ResourceDefinition
  readonly registry: Registry
  /** The scopes that tokens can have. */
  readonly scopes: readonly string[]
}

/**
 * What cannot be served of the declarations of a registry, as far as the compiler cannot tell. `npm run check` and the build of the
 * Worker refuse it, so that no isolate has to look.
 *
 * @param scopes the scopes that tokens can have
 * @returns sentences, each of which says why, and what to write
 */
export function problemsIn(registry: Registry, scopes: readonly string[]): string[] {
  return registry.types.map(registry.get).flatMap((definition) => {
    const declared = { definition, registry, scopes }
    return [
      ...ofType(declared),
      ...Object.entries(definition.attributes).flatMap(([name, attribute]) => [
        ...ofAttribute(declared, name, attribute),
      ]),
      ...Object.entries(definition.relationships).flatMap(([name, relationship]) => [
        ...ofRelationship(declared, name, relationship),
      ]),
    ]
  })
}

function* ofType(declared: Declared): Problems {
  const { definition, registry } = declared
  const { type, stored, operations, snapshot } = definition
  if (registry.types.indexOf(type) !== registry.types.lastIndexOf(type)) {
    yield `${type} is declared twice: rename one of them, or take it out of the registry`
  }
  yield* ofName(type, type)
  yield* ofColumns(stored.table, [stored.id, stored.owner, stored.revision])
  yield* ofPages(type, definition.pagination)
  yield* ofRules(declared, type, operations)
  yield* ofSuccess(type, operations)
  const compared = [...new Set([...sortsOf(definition), ...Object.keys(filtersOf(definition))])]
  if (!operations.list && compared.length > 0) {
    yield `${type} is sorted or filtered by ${compared.join(', ')}, and cannot be listed: declare the operation list, or leave out sortable and filter`
  }
  const write = writeOf(definition)
  if (write && !stored.revision) {
    yield `${type} takes ${write}, but has no revision: declare stored.revision, or leave out the operations that write`
  }
  if (write && snapshot) {
    yield `${type} is read from a snapshot, which nothing is written to: leave out ${write}, or snapshot`
  }
  if (stored.owner && snapshot) {
    yield `${type} is read from a snapshot, which all callers share, and has owners: leave out stored.owner, or snapshot`
  }
  yield* ofForeignKeys(declared, type, stored.table)
  yield* ofCascades(declared)
}

/** What is deleted along with another resource has no revision, no owner and no count that a write could look at. */
function* ofCascades({ definition: { type, stored }, registry }: Declared): Problems {
  for (const { reference, onDelete } of getTableConfig(stored.table).foreignKeys) {
    const { foreignTable, columns } = reference()
    if (onDelete === 'cascade' && typeOf(registry, foreignTable)) {
      yield `${type} would be deleted along with what ${columns[0]?.name} refers to: declare onDelete as set null, or leave it out`
    }
  }
}

/** The resource type whose table it is. */
function typeOf(registry: Registry, table: SQLiteTable): ResourceDefinition | undefined {
  return registry.types
    .map(registry.get)
    .find(({ stored }) => getTableName(stored.table) === getTableName(table))
}

/** The kinds of columns whose values documents hold as they are. */
const comparable = ['string', 'number', 'boolean', 'date']

/** Is there a unique index on this column alone? */
function isUnique(table: SQLiteTable, column: SQLiteColumn): boolean {
  return getTableConfig(table).indexes.some(({ config: { unique, columns } }) => {
    const [only] = columns
    return unique && columns.length === 1 && is(only, Column) && only.name === column.name
  })
}

/** A reference keeps a target that is deleted meanwhile from being named. */
function* ofReference(
  path: string,
  table: SQLiteTable,
  column: SQLiteColumn,
  target: ResourceDefinition,
): Problems {
  const isThere = getTableConfig(table).foreignKeys.some(({ reference }) => {
    const { columns, foreignTable } = reference()
    const isOwn = columns.length === 1 && columns[0]?.name === column.name
    return isOwn && getTableName(foreignTable) === getTableName(target.stored.table)
  })
  if (!isThere) {
    yield `${path} has no foreign key: declare the column ${column.name} with references(() => the id of ${target.type})`
  }
}

function* ofAttribute(declared: Declared, name: string, attribute: Attribute): Problems {
  const { type, stored, operations, snapshot } = declared.definition
  const { column, key, as, unique } = attribute.stored
  const { sortable, filter, required, schema } = attribute
  const path = `${type}.${name}`
  yield* ofName(type, name)
  yield* ofColumns(stored.table, [column, key])
  yield* ofRules(declared, type, { [name]: attribute })
  yield* ofRules(declared, path, attribute.members ?? {})
  const isText = column.dataType === 'string'
  if (as && !isText) {
    yield `${path} is stored as ${as}, which is a text, and its column ${column.name} is none: declare it by text()`
  }
  if (!as && !comparable.includes(column.dataType)) {
    yield `${path} has a column of ${column.dataType}, whose values no document holds: declare it by text, integer, boolean or timestamp`
  }
  if (unique && !isUnique(stored.table, key ?? column)) {
    yield `${path} is unique, and nothing keeps two resources from having the same ${(key ?? column).name}: declare a uniqueIndex on this column`
  }
  if (as && (sortable || filter)) {
    yield `${path} is stored as ${as}, and such a column cannot be compared with a value: leave out sortable and filter`
  } else if (sortable && isText && !key) {
    yield `${path} is sorted by its letters, which no column holds: declare a column for them as stored.key, with notNull and the default ''`
  } else if (sortable && !isText && !column.notNull) {
    yield `${path} may have no value, and only texts are sorted without one: declare the column with notNull, or leave out sortable`
  }
  if (sortable && snapshot) {
    yield `${type} is read from a snapshot, which is in the order of ids, and a sort by ${name} needs the database: leave out snapshot, or sortable`
  }
  if (key && !isText) {
    yield `${path} is no text, and a key holds the letters of one: leave out stored.key`
  }
  if (key && unique && !column.notNull) {
    yield `${path} is unique and may have no value, which only one resource could have: declare the column with notNull, or leave out unique`
  }
  const isLeftOut = operations.create && !required
  const isCleared = () => (operations.create || operations.update) && accepts(schema(), null)
  if (column.notNull && (isLeftOut || isCleared())) {
    yield `${path} may have no value, and its column ${column.name} takes no null: declare the attribute required and not nullable, or the column without notNull`
  }
}

function* ofRelationship(declared: Declared, name: string, relationship: Relationship): Problems {
  const { definition, registry } = declared
  const { type, stored, attributes, snapshot } = definition
  const { target } = relationship
  const path = `${type}.${name}`
  const write = writeOf(definition)
  yield* ofName(type, name)
  yield* ofRules(declared, type, { [name]: relationship })
  yield* ofRules(declared, path, relationship.operations)
  yield* ofSuccess(path, relationship.operations)
  if (name in attributes) {
    yield `${path} is an attribute and a relationship, which share their names: rename one of them`
  }
  if (!registry.types.includes(target)) {
    yield `${path} points to ${target}, which is not declared: add ${target} to the registry`
  } else if (snapshot && !registry.get(target).snapshot) {
    yield `${type} is read from a snapshot, and ${name} leads to ${target}, which is not: declare snapshot there too, or leave it out here`
  }
  const pointed = registry.types.includes(target) ? registry.get(target) : undefined
  if (relationship.cardinality === 'one') {
    yield* ofColumns(stored.table, [relationship.stored])
    if (pointed) {
      yield* ofReference(path, stored.table, relationship.stored, pointed)
    }
    if (write && relationship.stored.notNull) {
      yield `${path} may be empty, and its column ${relationship.stored.name} takes no null: declare the column without notNull`
    }
    return
  }
  const { table, owner, target: member } = relationship.stored
  yield* ofColumns(table, [owner, member])
  yield* ofReference(path, table, owner, definition)
  if (pointed) {
    yield* ofReference(path, table, member, pointed)
  }
  yield* ofForeignKeys(declared, path, table)
  yield* ofPages(path, relationship.pagination)
  for (const [name, { schema, stored }] of Object.entries(relationship.meta ?? {})) {
    yield* ofColumns(table, [stored])
    if (!isEnumeration(schema())) {
      yield `${path}.meta.${name} must be an enumeration of letters, digits and ._~-, since documents hold it unescaped: declare it by z.enum`
    }
  }
}

/** Names stand in paths, documents and statements as they are. */
function* ofName(type: string, name: string): Problems {
  if (!/^[a-z]\w*$/i.test(name) || ['id', 'type', 'operations'].includes(name)) {
    yield `${name} in ${type} is no name for a type or a field: take another one of letters and digits`
  }
}

/** A statement knows the columns of one table. */
function* ofColumns(table: SQLiteTable, columns: readonly (SQLiteColumn | undefined)[]): Problems {
  const name = getTableName(table)
  for (const column of columns) {
    if (column && getTableName(column.table) !== name) {
      yield `${getTableName(column.table)}.${column.name} is declared as a column of ${name}: name one of that table`
    }
  }
}

/** What refers to a resource that can be deleted goes with it or loses the reference, since no answer says that others need it. */
function* ofForeignKeys({ registry }: Declared, path: string, table: SQLiteTable): Problems {
  for (const { reference, onDelete } of getTableConfig(table).foreignKeys) {
    const { foreignTable, columns } = reference()
    const target = typeOf(registry, foreignTable)
    const isCleared = onDelete === 'set null' && !columns.some(({ notNull }) => notNull)
    if (target?.operations.delete && onDelete !== 'cascade' && !isCleared) {
      yield `${path} refers to ${target.type} by ${columns[0]?.name}, and would keep them from being deleted: declare onDelete as cascade, or as set null of a column without notNull, or leave out the delete of ${target.type}`
    }
  }
}

/** Nobody meets a rule that asks for a scope of no token, or for the owner of what nobody owns. */
function* ofRules(
  { definition: { type, stored }, scopes }: Declared,
  path: string,
  rules: Readonly<Record<string, { readonly access: AccessRule }>>,
): Problems {
  for (const [name, { access }] of Object.entries(rules)) {
    const asked = access.flatMap((each) => each.scopes ?? [])
    for (const scope of asked.filter((each) => !scopes.includes(each))) {
      yield `${path}.${name} asks for the scope ${scope}, which no token has: write one of ${scopes.join(', ')}, or declare it beside them`
    }
    if (!stored.owner && access.some(({ owner }) => owner)) {
      yield `${path}.${name} asks for the owner, and nobody owns ${type}: declare stored.owner, or leave out owner`
    }
  }
}

/** A status of success is one of 2xx, and one that has no body tells no document. */
function* ofSuccess(
  path: string,
  rules: ResourceDefinition['operations'] | Relationship['operations'],
): Problems {
  for (const [name, { status }] of Object.entries<OperationRule>(rules)) {
    const operation = name as Operation
    const hasDocument = isRead(operation) || operation === 'create'
    const isEmpty = status === 204 || status === 205
    if (status !== undefined && (status < 200 || status > 299 || (hasDocument && isEmpty))) {
      yield `${path}.${name} succeeds with ${status}: declare a status from 200 to 299, and one with a body where a document is told`
    }
  }
}

/** A page has a size, and a cursor holds it. */
function* ofPages(path: string, pagination: Pagination): Problems {
  if (pagination === 'none') {
    return
  }
  const { size, max = size } = pagination
  const areWhole = Number.isInteger(size) && Number.isInteger(max)
  if (!areWhole || size < 1 || max < size || max > maxPageSize) {
    yield `${path} has pages of ${size}, and of ${max} at most: declare whole numbers from 1 to ${maxPageSize}, the size not above the most`
  }
}

/** One of the operations that change resources of the type, if there is any. */
function writeOf({ operations, relationships }: ResourceDefinition): Operation | undefined {
  const related = Object.values(relationships).map((relationship) => relationship.operations)
  return [operations, ...related]
    .flatMap((rules) => Object.keys(rules) as Operation[])
    .find((operation) => !isRead(operation))
}
