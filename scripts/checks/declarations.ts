import { Column, getTableName, is } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type ComputedAttribute, isComputed, linksOf } from '../../src/db/stored.ts'
import { isRead, type Operation } from '../../src/jsonapi/declare/operation.ts'
import type { Registry } from '../../src/jsonapi/declare/registry.ts'
import type {
  AccessRule,
  Attribute,
  Pagination,
  Relationship,
  ResourceDefinition,
} from '../../src/jsonapi/declare/resource.ts'
import { maxPageSize } from '../../src/jsonapi/request/cursor.ts'
import { parse } from '../../src/jsonapi/zod.ts'

/** Sentences, each of which says why a declaration cannot be served and what to write, and whether it is so. */
type Problems = Readonly<Record<string, unknown>>

/**
 * What cannot be served of the declarations of a registry, as far as the compiler cannot see it. `npm run check` and the build of the
 * Worker refuse it, so that no isolate has to look.
 *
 * @param scopes the scopes that tokens can have
 * @returns sentences, each of which says why, and what to write
 */
export function problemsIn(registry: Registry, scopes: readonly string[]): string[] {
  const problems = registry.types
    .map(registry.get)
    .flatMap((definition) => [
      ofType(registry, definition),
      ofRules(definition, scopes),
      ofFilters(definition),
      ...Object.entries(definition.attributes).map((each) => ofAttribute(definition, ...each)),
      ...Object.entries(definition.relationships).map((each) =>
        ofRelationship(registry, definition, ...each),
      ),
    ])
  return problems.flatMap((each) => Object.keys(each).filter((sentence) => each[sentence]))
}

function ofType(registry: Registry, definition: ResourceDefinition): Problems {
  const { type, stored, snapshot, pagination } = definition
  const write = writeOf(definition)
  const isTwice = registry.types.indexOf(type) !== registry.types.lastIndexOf(type)
  const parent = foreignKeysOf(registry, stored.table).find(
    ({ target, onDelete }) => target && onDelete === 'cascade',
  )
  return {
    [`${type} is declared twice: rename one of them, or take it out of the registry`]: isTwice,
    ...ofName(type, type),
    ...ofColumns(stored.table, [stored.id, stored.owner, stored.revision]),
    ...ofForeignKeys(registry, type, stored.table),
    // What is deleted along with another resource has no revision, no owner and no count that a write could look at.
    [`${type} is deleted along with ${parent?.target?.type}: declare set null`]: parent,
    ...ofPages(type, pagination),
    [`${type} accepts ${write}: declare stored.revision`]: write && !stored.revision,
    [`${type} accepts ${write}: leave out snapshot`]: write && snapshot,
    [`${type} has owners: leave out snapshot, which all callers share`]: stored.owner && snapshot,
  }
}

function ofAttribute(definition: ResourceDefinition, name: string, attribute: Attribute): Problems {
  if (isComputed(attribute.stored)) {
    return ofComputed(definition, name, attribute, attribute.stored)
  }
  const { type, stored, operations, snapshot } = definition
  const { column, key, as, unique } = attribute.stored
  const { sortable, filter, required, readOnly, schema } = attribute
  const path = `${type}.${name}`
  const compared = key ?? column
  const isText = column.dataType === 'string'
  const isNullable = !column.notNull
  const hasIndex = isUnique(stored.table, compared)
  const isWritten = operations.create || operations.update
  const isEmptied =
    !readOnly && ((operations.create && !required) || (isWritten && parse(schema(), null).success))
  return {
    ...ofName(type, name),
    ...ofColumns(stored.table, [column, key]),
    [`${path} is unique: declare a uniqueIndex on ${compared.name}`]: unique && !hasIndex,
    [`${path} is unique: declare ${column.name} with notNull`]: unique && key && isNullable,
    [`${path} is stored as ${as}: leave out sortable and filter`]: as && (sortable || filter),
    [`${path} is sorted by its letters: declare stored.key`]: sortable && isText && !as && !key,
    [`${path} is sorted: declare ${column.name} with notNull`]: sortable && !isText && isNullable,
    [`${path} is set by the server: declare ${column.name} with $defaultFn`]:
      readOnly && operations.create && !column.defaultFn,
    [`${path} is set by the server: leave out required`]: readOnly && required,
    [`${path} is sorted: leave out snapshot, which is in the order of ids`]: sortable && snapshot,
    [`${path} is no text, and has no letters: leave out stored.key`]: key && !isText,
    [`${path} may have no value: declare ${column.name} without notNull`]: isEmptied && !isNullable,
  }
}

/** Nothing is written to a computed attribute, and no index has it. Its columns are the arguments of one function of SQL. */
function ofComputed(
  { type, stored, attributes }: ResourceDefinition,
  name: string,
  { readOnly, required, sortable, filter }: Attribute,
  computed: ComputedAttribute,
): Problems {
  const path = `${type}.${name}`
  const columns = Object.values(computed.columns)
  const sealed = Object.values(attributes).flatMap(({ stored: other }) =>
    'as' in other && other.as === 'sealed' ? [other.column.name] : [],
  )
  const secret = columns.find((column) => sealed.includes(column.name))
  const isWrong = columns.length < 1 || columns.length > maxColumns
  return {
    ...ofName(type, name),
    ...ofColumns(stored.table, columns),
    [`${path} is computed: declare readOnly`]: !readOnly,
    [`${path} is computed: leave out required, sortable and filter`]:
      required || sortable || filter,
    [`${path} is computed of ${columns.length} columns: name 1 to ${maxColumns}`]: isWrong,
    [`${path} is computed of ${secret?.name}, which is sealed: name another column`]: secret,
  }
}

/** How many arguments D1 allows in the call of a function. */
const maxColumns = 32

/** The names of filters stand in parameters. What is in memory is not asked by SQL. */
function ofFilters({ type, stored, snapshot, attributes, filters = {} }: ResourceDefinition) {
  const names = Object.keys(filters)
  const wrong = names.find((name) => !/^[a-z]\w*(?:\.[a-z]\w*)*$/i.test(name))
  const twice = names.find((name) => name === 'id' || name in attributes)
  const table = getTableName(stored.table)
  const other = names.find((name) => filters[name]?.stored.table !== stored.table)
  return {
    [`${type} has a filter ${wrong}: take a name of letters, digits and dots`]: wrong !== undefined,
    [`${type} has a filter and a field ${twice}: rename one of them`]: twice,
    [`${type} has a filter ${other} of another table: name ${table}`]: other,
    [`${type} has filters of its own: leave out snapshot`]: snapshot && names.length > 0,
  }
}

function ofRelationship(
  registry: Registry,
  definition: ResourceDefinition,
  name: string,
  relationship: Relationship,
): Problems {
  const { type, attributes, snapshot } = definition
  const { table, owner, target, columns, isMany } = linksOf(definition, name)
  const { target: to } = relationship
  const path = `${type}.${name}`
  const isDeclared = registry.types.includes(to)
  const isStoredElsewhere = snapshot && isDeclared && !registry.get(to).snapshot
  const isEmptied = !isMany && writeOf(definition)
  const refersTo = (column: SQLiteColumn, type: string): boolean =>
    foreignKeysOf(registry, table).some(
      (key) => key.column?.name === column.name && key.target?.type === type,
    )
  return {
    ...ofName(type, name),
    [`${path} is an attribute and a relationship: rename one of them`]: name in attributes,
    [`${path} points to ${to}: add ${to} to the registry`]: !isDeclared,
    [`${path} points to ${to}: declare snapshot for both types`]: isStoredElsewhere,
    ...ofColumns(table, [owner, ...columns]),
    [`${path}: declare ${target.name} with references of ${to}`]:
      isDeclared && !refersTo(target, to),
    [`${path}: declare ${owner.name} with references of ${type}`]: isMany && !refersTo(owner, type),
    ...(isMany && ofForeignKeys(registry, path, table)),
    ...ofPages(path, 'pagination' in relationship ? relationship.pagination : 'none'),
    [`${path} may be empty: declare ${target.name} without notNull`]: isEmptied && target.notNull,
  }
}

/** Names stand in paths, documents and statements as they are. */
function ofName(type: string, name: string): Problems {
  const isName = /^[a-z]\w*$/i.test(name) && !['id', 'type', 'operations'].includes(name)
  return { [`${name} in ${type} is no name: take another one of letters and digits`]: !isName }
}

/** A page has a size, and a cursor holds it. */
function ofPages(path: string, pagination: Pagination): Problems {
  const { size, max = size } = pagination === 'none' ? { size: 1 } : pagination
  const areWhole = Number.isInteger(size) && Number.isInteger(max)
  const isWrong = !areWhole || size < 1 || max < size || max > maxPageSize
  return { [`${path} has pages of ${size} to ${max}: declare 1 to ${maxPageSize}`]: isWrong }
}

/** A statement knows the columns of one table. */
function ofColumns(table: SQLiteTable, columns: readonly (SQLiteColumn | undefined)[]): Problems {
  const name = getTableName(table)
  const other = columns.find((column) => column && getTableName(column.table) !== name)
  const path = other && `${getTableName(other.table)}.${other.name}`
  return { [`${path} is declared as a column of ${name}: name one of that table`]: other }
}

/** The foreign keys of a table, each with its column and the type that it refers to. */
function foreignKeysOf(registry: Registry, table: SQLiteTable) {
  return getTableConfig(table).foreignKeys.map(({ reference, onDelete }) => {
    const { columns, foreignTable } = reference()
    const name = getTableName(foreignTable)
    const types = registry.types.map(registry.get)
    const target = types.find(({ stored }) => getTableName(stored.table) === name)
    return { column: columns[0], target, onDelete }
  })
}

/** What refers to a resource that can be deleted goes with it or loses the reference, since no answer says that others need it. */
function ofForeignKeys(registry: Registry, path: string, table: SQLiteTable): Problems {
  const key = foreignKeysOf(registry, table).find(({ column, target, onDelete }) => {
    const isCleared = onDelete === 'set null' && !column?.notNull
    return target?.operations.delete && onDelete !== 'cascade' && !isCleared
  })
  const problem = `${path} would keep ${key?.target?.type} from being deleted`
  return {
    [`${problem}: declare ${key?.column?.name} with cascade, or nullable with set null`]: key,
  }
}

/** Is there a unique index on this column alone? */
function isUnique(table: SQLiteTable, column: SQLiteColumn): boolean {
  return getTableConfig(table).indexes.some(({ config: { unique, columns } }) => {
    const [only] = columns
    return unique && columns.length === 1 && is(only, Column) && only.name === column.name
  })
}

/** Nobody meets a rule that asks for a scope of no token, or for the owner of what nobody owns. Reads do not look who owns a resource. */
function ofRules(definition: ResourceDefinition, scopes: readonly string[]): Problems {
  const { type, stored, operations, attributes, relationships, filters = {} } = definition
  const places: Readonly<Record<string, { readonly access: AccessRule }>>[] = [
    operations,
    attributes,
    relationships,
    filters,
    ...Object.values(attributes).map(({ members = {} }) => members),
    ...Object.values(relationships).map((relationship) => relationship.operations),
  ]
  const related = Object.values(relationships)
  const reads = [operations, ...related.map((relationship) => relationship.operations)]
    .flatMap((rules) => Object.entries(rules))
    .flatMap(([name, rule]) => (isRead(name as Operation) ? [rule] : []))
  const shown = [...related, ...reads, ...Object.values(filters)].flatMap(({ access }) => access)
  const allowed = places.flatMap(Object.values).flatMap(({ access }) => access)
  const asked = allowed.flatMap((each) => each.scopes ?? [])
  const [unknown] = asked.filter((scope) => !scopes.includes(scope))
  const isOwners = allowed.some(({ owner }) => owner)
  return {
    [`${type} asks for the scope ${unknown}: write one of ${scopes}`]: unknown !== undefined,
    [`${type} asks for the owner where it is read: take owner out, or declare it for attributes`]:
      shown.some(({ owner }) => owner),
    [`${type} asks for the owner: declare stored.owner`]: isOwners && !stored.owner,
  }
}

/** One of the operations that change resources of the type, if there is any. */
function writeOf({ operations, relationships }: ResourceDefinition): Operation | undefined {
  const related = Object.values(relationships).map((relationship) => relationship.operations)
  return [operations, ...related]
    .flatMap((rules) => Object.keys(rules) as Operation[])
    .find((operation) => !isRead(operation))
}
