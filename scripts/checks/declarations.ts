import { Column, getTableName, is } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type ComputedAttribute, isComputed, storedMembers } from '../../src/db/stored.ts'
import { isRead, type Operation } from '../../src/jsonapi/declare/operation.ts'
import type { Registry } from '../../src/jsonapi/declare/registry.ts'
import type {
  Attribute,
  OperationRule,
  Pagination,
  Relationship,
  ResourceDefinition,
} from '../../src/jsonapi/declare/resource.ts'
import { maxPageSize } from '../../src/jsonapi/request/cursor.ts'
import { parse } from '../../src/jsonapi/zod.ts'
import { schemaObject } from '../../src/openapi/json-schema.ts'
import { wrongCondition } from './conditions.ts'
import { largestRead } from './statements.ts'

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
  const said = saidIn(problems)
  // What is declared in a wrong way has no statements.
  return said.length > 0 ? said : saidIn(registry.types.map((type) => ofStatements(registry, type)))
}

/** The sentences that are so. */
function saidIn(problems: readonly Problems[]): string[] {
  return problems.flatMap((each) => Object.keys(each).filter((sentence) => each[sentence]))
}

/** D1 takes statements of 100,000 bytes, and 100 columns in an answer. */
function ofStatements(registry: Registry, type: string): Problems {
  const { bytes, columns } = largestRead(registry, registry.get(type))
  return {
    [`${type} is read by statements of up to ${bytes} bytes, and D1 takes 100000: declare fewer attributes, relationships or sorts, or shorter names of columns`]:
      bytes > 100_000,
    [`${type} is read in up to ${columns} columns, and D1 takes 100: declare fewer attributes, relationships or sorts`]:
      columns > 100,
  }
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
    ...ofNames(stored.table),
    ...ofForeignKeys(registry, type, stored.table),
    ...ofTable(registry, definition),
    [`${type} is where the service has a page of its own: rename it`]: pages.includes(type),
    [`${type} is found by ${stored.id.name}: declare it with primaryKey`]: !stored.id.primary,
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
  const hasIndex = getTableConfig(stored.table).indexes.some(
    ({ config }) => config.unique && isOf(config.columns, compared.name),
  )
  const isWritten = operations.create || operations.update
  // Nothing is stored of an empty object or array.
  const none = as === 'json' ? [null, {}, []] : [null]
  const isNone = none.some((value) => parse(schema(), value).success)
  const { defaultFn } = column
  const [first, second] = [defaultFn?.(), defaultFn?.()]
  const isRepeated = column.dataType === 'date' || first === second
  const isEmptied = !readOnly && ((operations.create && !required) || (isWritten && isNone))
  return {
    ...ofName(type, name),
    ...ofColumns(stored.table, [column, key]),
    ...ofValues(path, attribute),
    [`${path} is unique: declare a uniqueIndex on ${compared.name}`]: unique && !hasIndex,
    [`${path} is unique: declare ${column.name} with notNull`]: unique && key && isNullable,
    [`${path} is stored as ${as}: leave out sortable and filter`]: as && (sortable || filter),
    [`${path} is sorted by its letters: declare stored.key`]: sortable && isText && !as && !key,
    [`${path} is sorted: declare ${column.name} with notNull`]: sortable && !isText && isNullable,
    [`${path} is set by the server: declare ${column.name} with $defaultFn`]:
      readOnly && operations.create && !defaultFn,
    [`${path} is set by the server to ${JSON.stringify(first)}: let $defaultFn of ${column.name} make what its schema accepts`]:
      readOnly && defaultFn && !accepts(attribute, first),
    [`${path} is unique, and the server would set a value twice: leave out unique`]:
      unique && readOnly && operations.create && isRepeated,
    [`${path} is set by the server: leave out required`]: readOnly && required,
    [`${path} is sorted: leave out snapshot, which is in the order of ids`]: sortable && snapshot,
    [`${path} is no text, and has no letters: leave out stored.key`]: key && !isText,
    [`${path} may have no value: declare ${column.name} without notNull`]: isEmptied && !isNullable,
  }
}

/** Does the schema of an attribute accept the value of its column, as documents show it? Ciphertext cannot be looked into. */
function accepts({ schema, stored }: Attribute, value: unknown): boolean {
  const { as } = stored as { readonly as?: 'json' | 'sealed' }
  try {
    const shown = as === 'json' ? JSON.parse(String(value)) : value
    return (
      as === 'sealed' || parse(schema(), shown instanceof Date ? shown.toJSON() : shown).success
    )
  } catch {
    return false
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
  const [condition] = Object.entries(filters).flatMap(([name, filter]) => {
    const problem = wrongCondition(filter)
    return problem === undefined ? [] : [`${name} ${problem}`]
  })
  const wrong = names.find((name) => !/^[a-z]\w*(?:\.[a-z]\w*)*$/i.test(name))
  const twice = names.find((name) => name === 'id' || name in attributes)
  const table = getTableName(stored.table)
  const other = names.find((name) => filters[name]?.stored.table !== stored.table)
  return {
    [`${type} has a filter ${wrong}: take a name of letters, digits and dots`]: wrong !== undefined,
    [`${type} has a filter and a field ${twice}: rename one of them`]: twice,
    [`${type} has a filter ${other} of another table: name ${table}`]: other,
    [`${type} has a filter ${condition}`]: condition,
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
  const { table, owner, target, columns, isMany } = storedMembers(definition, name)
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
    [`${path} is an attribute and a relationship: rename one of them`]: Object.hasOwn(
      attributes,
      name,
    ),
    [`${path} points to ${to}: add ${to} to the registry`]: !isDeclared,
    [`${path} points to ${to}: declare snapshot for both types`]: isStoredElsewhere,
    ...ofColumns(table, [owner, ...columns]),
    ...(isMany && { ...ofNames(table), ...ofMembers(path, definition, name) }),
    [`${path}: declare ${target.name} with references of ${to}`]:
      isDeclared && !refersTo(target, to),
    [`${path}: declare ${owner.name} with references of ${type}`]: isMany && !refersTo(owner, type),
    ...(isMany && ofForeignKeys(registry, path, table)),
    ...ofPages(path, 'pagination' in relationship ? relationship.pagination : 'none'),
    [`${path} may be empty: declare ${target.name} without notNull`]: isEmptied && target.notNull,
  }
}

/** The pages about the service, which stand below its root. */
const pages: readonly string[] = ['docs', 'health', 'oas']

/** What the values of an attribute must be, by what is stored of them. */
const values: Readonly<Record<string, readonly [types: string, example: string]>> = {
  string: ['string', 'texts, such as z.string()'],
  number: ['integer', 'whole numbers, such as z.int()'],
  boolean: ['boolean', 'z.boolean()'],
  date: ['string', 'z.iso.datetime()'],
  json: ['object array', 'objects or arrays'],
  sealed: ['string', 'texts, such as z.string()'],
}

/** Times that no document and no database can hold, in each precision. */
const wrongTimes = ['', ':00', ':00.000', ':00.000000'].flatMap((seconds) => [
  `0000-12-31T00:00${seconds}Z`,
  `9999-12-31T23:59${seconds}-23:59`,
])

/** The most characters of a text in an index of PostgreSQL, whose entries have 2,704 bytes at most. */
const maxUnique = 600

/** A column holds each value that the schema of its attribute takes. */
function ofValues(path: string, { schema, stored }: Attribute): Problems {
  if (isComputed(stored)) {
    return {}
  }
  const { column, as, unique } = stored
  const [types = '', example] = values[as ?? column.dataType] ?? []
  const [sent = {}, shown = {}] = (['input', 'output'] as const).map((side) =>
    schemaObject(schema(), side),
  )
  const isHeld = [sent, shown].every(({ type = '?' }) => types.split(' ').includes(type))
  const isTime = column.dataType === 'date'
  const isFree = (text: string) => parse(schema(), text).success
  const isLong = !shown.enum && !(Number(shown.maxLength) <= maxUnique)
  return {
    [`${path} is stored as ${as ?? column.dataType}: declare a schema of ${example}`]:
      !isHeld || (isTime && !JSON.stringify(shown).includes('"date-time"')),
    [`${path} takes times before the year 1 or after 9999: declare z.iso.datetime() without offset, with a z.refine that refuses the year 0`]:
      isTime && wrongTimes.some(isFree),
    [`${path} is unique: declare z.maxLength of ${maxUnique} at most`]:
      unique && column.dataType === 'string' && isLong,
  }
}

/** A table takes each row that a write makes, and says nothing else of it than the declaration. */
function ofTable(registry: Registry, definition: ResourceDefinition): Problems {
  const { type, stored, attributes, relationships, operations } = definition
  const { columns, indexes, checks } = getTableConfig(stored.table)
  const own = Object.values(attributes).flatMap((one) => (isComputed(one.stored) ? [] : one.stored))
  const toOne = Object.values(relationships).flatMap((one) =>
    one.cardinality === 'one' ? [one.stored] : [],
  )
  const held = [
    stored.id,
    stored.owner,
    stored.revision,
    ...own.flatMap(({ column, key }) => [column, key]),
    ...toOne,
  ].flatMap((column) => (column ? [column.name] : []))
  const twice = held.find((name, index) => held.indexOf(name) !== index)
  const unique = own.flatMap(({ column, key, unique }) => (unique ? [(key ?? column).name] : []))
  const index = indexes.find(
    ({ config }) => config.unique && !unique.some((name) => isOf(config.columns, name)),
  )
  const reference = foreignKeysOf(registry, stored.table)
    .map(({ column }) => column?.name)
    .find((name) => own.some(({ column }) => column.name === name))
  const isWritten = writeOf(definition)
  return {
    [`${type} has two fields in ${twice}: name another column for one`]: twice,
    ...(operations.create && ofNewRows(type, stored.table, held)),
    [`${type} has the unique index ${index?.config.name}: declare unique for an attribute, or index`]:
      index && isWritten,
    [`${type} has checks in its table: write them as schemas`]: checks.length > 0 && isWritten,
    [`${type} has an attribute in ${reference}, which refers to another table: declare a relationship`]:
      reference && isWritten,
    [`${type} has ${columns.length} columns: D1 takes 98`]: columns.length > 98,
  }
}

/** The table of members has one row for each, with its meta. */
function ofMembers(path: string, definition: ResourceDefinition, name: string): Problems {
  const { table, owner, columns: shown, meta } = storedMembers(definition, name)
  const [key] = getTableConfig(table).primaryKeys
  const held = [owner, ...shown].map((column) => column.name)
  const isKey =
    key?.columns.length === 2 &&
    [held[0], held[1]].every((one) => key.columns.some((column) => column.name === one))
  return {
    [`${path}: declare a primaryKey of ${held[0]} and ${held[1]}`]: !isKey,
    ...ofNewRows(path, table, held),
    [`${path} has ${meta.length} members of meta: D1 takes 30`]: meta.length > 30,
    ...Object.assign({}, ...meta.map(([each]) => ofName(path, each))),
  }
}

/** A new row has a value for each column: from the declaration, whose columns are `held`, or from the database. */
function ofNewRows(path: string, table: SQLiteTable, held: readonly string[]): Problems {
  const empty = getTableConfig(table).columns.find(
    ({ name, notNull, default: value, defaultFn }) =>
      notNull && value === undefined && !defaultFn && !held.includes(name),
  )
  return {
    [`${path} has no value for ${empty?.name}: declare it with a default, or without notNull`]:
      empty,
  }
}

/** Names stand in paths, documents and statements as they are. */
function ofName(type: string, name: string): Problems {
  // Zod takes what every object has, such as `constructor`, for a member that was sent.
  const isTaken = ['id', 'type', 'operations'].includes(name) || name in {}
  const isName = /^[a-z](\w*[a-z\d])?$/i.test(name) && !isTaken
  return { [`${name} in ${type} is no name: take another one of letters and digits`]: !isName }
}

/** Tables that statements of the service name. `excluded` is what an upsert calls the new row. */
const ownTables: readonly string[] = ['counters', 'idempotency_keys', 'excluded']

/** Migrations quote names as they are, and PostgreSQL cuts what is longer than 63 bytes. */
function ofNames(table: SQLiteTable): Problems {
  const { name, columns, indexes } = getTableConfig(table)
  const names = [
    name,
    ...columns.map((one) => one.name),
    ...indexes.map(({ config }) => config.name),
  ]
  const wrong = names.find((one) => /["`]/.test(one) || Buffer.byteLength(one) > 63)
  return {
    [`${wrong} is no name in ${name}: take one of at most 63 bytes, without double quotes and backquotes`]:
      wrong !== undefined,
    [`${name} is a table of the service itself: rename it`]: ownTables.includes(name.toLowerCase()),
  }
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

/** Is this column the only one of an index? */
function isOf([only, ...others]: readonly unknown[], name: string): boolean {
  return others.length === 0 && is(only, Column) && only.name === name
}

/** Nobody meets a rule that asks for a scope of no token, or for the owner of what nobody owns. Reads do not look who owns a resource. */
function ofRules(definition: ResourceDefinition, scopes: readonly string[]): Problems {
  const { type, stored, attributes, relationships, filters = {} } = definition
  const rules = rulesOf(definition)
  const own = Object.values(attributes)
  const shown = [
    ...Object.values(relationships),
    ...Object.values(filters),
    ...rules.flatMap(([operation, rule]) => (isRead(operation) ? [rule] : [])),
  ].flatMap(({ access }) => access)
  const others = [
    ...own,
    ...own.flatMap(({ members = {} }) => Object.values(members)),
    ...rules.map(([, rule]) => rule),
  ].flatMap(({ access }) => access)
  const allowed = [...shown, ...others]
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

/** The operations on resources of the type, each with its rule. */
function rulesOf({ operations, relationships }: ResourceDefinition) {
  const related = Object.values(relationships).map((relationship) => relationship.operations)
  return [operations, ...related].flatMap(
    (rules) => Object.entries(rules) as [Operation, OperationRule][],
  )
}

/** One of the operations that change resources of the type, if there is any. */
function writeOf(definition: ResourceDefinition): Operation | undefined {
  return rulesOf(definition).find(([operation]) => !isRead(operation))?.[0]
}
