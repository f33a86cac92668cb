import { getTableName } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { AccessRule } from '../jsonapi/declare/access.ts'
import { isRead, type Operation } from '../jsonapi/declare/operation.ts'
import { filtersOf, sortsOf } from '../jsonapi/declare/readable.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import { largestPage } from '../jsonapi/request/cursor.ts'
import { isEnumeration, takes } from '../jsonapi/validate.ts'

/** Sentences, each of which says why a declaration cannot be served, and what to write. */
type Problems = Iterable<string>

/**
 * What cannot be served of the declarations of a registry, as far as the compiler cannot tell. `npm run check` and the build of the
 * Worker refuse it, so that no isolate has to look.
 *
 * @param scopes the scopes that tokens can have
 * @returns sentences, each of which says why, and what to write
 */
export function problemsIn(registry: Registry, scopes: readonly string[]): string[] {
  return registry.types
    .map(registry.get)
    .flatMap((definition) => [
      ...misnamed(definition),
      ...misplaced(definition),
      ...unreachable(definition, scopes),
      ...unpageable(definition),
      ...uncomparable(definition),
      ...unwritable(definition),
      ...unrelated(definition, registry),
      ...unrevised(definition),
      ...miscounted(definition),
      ...unfitForSnapshot(definition, registry),
    ])
}

/** Names stand in paths, documents and statements as they are (JSON:API 1.1, "Member Names"). */
function* misnamed({ type, attributes, relationships }: ResourceDefinition): Problems {
  const fields = [...Object.keys(attributes), ...Object.keys(relationships)]
  for (const name of [type, ...fields]) {
    if (!/^[a-z]\w*$/i.test(name) || ['id', 'type', 'operations'].includes(name)) {
      yield `${name} in ${type} is no name for a type or a field: take another one of letters and digits`
    }
  }
  for (const name of Object.keys(relationships).filter((each) => each in attributes)) {
    yield `${type}.${name} is an attribute and a relationship, which share their names: rename one of them`
  }
}

/** A statement knows the columns of one table. */
function* misplaced({ stored, attributes, relationships }: ResourceDefinition): Problems {
  const { table, id, owner, revision } = stored
  yield* foreign(table, [id, owner, revision])
  for (const { stored } of Object.values(attributes)) {
    yield* foreign(table, [stored.column, stored.key])
  }
  for (const relationship of Object.values(relationships)) {
    if (relationship.cardinality === 'one') {
      yield* foreign(table, [relationship.stored])
    } else {
      const { table: members, owner, target } = relationship.stored
      const meta = Object.values(relationship.meta ?? {}).map((member) => member.stored)
      yield* foreign(members, [owner, target, ...meta])
    }
  }
}

function* foreign(table: SQLiteTable, columns: readonly (SQLiteColumn | undefined)[]): Problems {
  const name = getTableName(table)
  for (const column of columns) {
    if (column && getTableName(column.table) !== name) {
      yield `${getTableName(column.table)}.${column.name} is declared as a column of ${name}: name one of that table`
    }
  }
}

/** Nobody meets a rule that asks for a scope of no token, or for the owner of what nobody owns. */
function* unreachable(definition: ResourceDefinition, scopes: readonly string[]): Problems {
  for (const [name, rule] of rulesOf(definition)) {
    for (const { scopes: asked = [], owner } of rule) {
      for (const scope of asked.filter((each) => !scopes.includes(each))) {
        yield `${name} asks for the scope ${scope}, which no token has: write one of ${scopes.join(', ')}, or declare it beside them`
      }
      if (owner && !definition.stored.owner) {
        yield `${name} asks for the owner, and nobody owns ${definition.type}: declare stored.owner, or leave out owner`
      }
    }
  }
}

/** All rules of access of a type, each with the name of what it is for. */
function* rulesOf({
  type,
  attributes,
  relationships,
  operations,
}: ResourceDefinition): Iterable<readonly [name: string, rule: AccessRule]> {
  for (const [name, { access }] of Object.entries(operations)) {
    yield [`${type}.${name}`, access]
  }
  for (const [name, { access, members = {} }] of Object.entries(attributes)) {
    yield [`${type}.${name}`, access]
    for (const [member, { access }] of Object.entries(members)) {
      yield [`${type}.${name}.${member}`, access]
    }
  }
  for (const [name, { access, operations }] of Object.entries(relationships)) {
    yield [`${type}.${name}`, access]
    for (const [operation, { access }] of Object.entries(operations)) {
      yield [`${type}.${name}.${operation}`, access]
    }
  }
}

/** A page has a size, and a cursor holds it. */
function* unpageable({ type, pagination, relationships }: ResourceDefinition): Problems {
  const many = Object.entries(relationships).flatMap(([name, relationship]) =>
    relationship.cardinality === 'many'
      ? [[`${type}.${name}`, relationship.pagination] as const]
      : [],
  )
  for (const [name, pages] of [[type, pagination] as const, ...many]) {
    if (pages !== 'none') {
      const { size, most = size } = pages
      const isOrdered = 1 <= size && size <= most && most <= largestPage
      if (!isOrdered || !Number.isInteger(size) || !Number.isInteger(most)) {
        yield `${name} has pages of ${size}, and of ${most} at most: declare whole numbers from 1 to ${largestPage}, the size not above the most`
      }
    }
  }
}

/** Sorts and filters compare what a column holds, by the rules of the contract (section 7). */
function* uncomparable(definition: ResourceDefinition): Problems {
  const { type, attributes, operations } = definition
  const sorts = sortsOf(definition)
  const compared = new Set([...sorts, ...Object.keys(filtersOf(definition))])
  if (!operations.list && compared.size > 0) {
    yield `${type} is sorted or filtered by ${[...compared].join(', ')}, and cannot be listed: declare the operation list, or leave out sortable and filter`
  }
  for (const [attribute, { stored }] of Object.entries(attributes)) {
    const { as, column, key, unique } = stored
    const name = `${type}.${attribute}`
    const isText = column.dataType === 'string'
    if (as && compared.has(attribute)) {
      yield `${name} is stored as ${as}, and such a column cannot be compared with a value: leave out sortable and filter`
    } else if (sorts.includes(attribute) && isText && !key) {
      yield `${name} is sorted by its letters, which no column holds: declare a column for them as stored.key, with notNull and the default ''`
    } else if (sorts.includes(attribute) && !isText && !column.notNull) {
      yield `${name} may have no value, and only texts are sorted without one: declare the column with notNull, or leave out sortable`
    }
    if (key && !isText) {
      yield `${name} is no text, and a key holds the letters of one: leave out stored.key`
    }
    if (unique && key && !column.notNull) {
      yield `${name} is unique and may have no value, which only one resource could have: declare the column with notNull, or leave out unique`
    }
  }
}

/** A valid write would fail where an attribute may have no value, but its column takes no null. */
function* unwritable({ type, attributes, operations }: ResourceDefinition): Problems {
  for (const [name, { schema, required, stored }] of Object.entries(attributes)) {
    const isLeftOut = operations.create && !required
    const isCleared = () => (operations.create || operations.update) && takes(schema(), null)
    if (stored.column.notNull && (isLeftOut || isCleared())) {
      yield `${type}.${name} may have no value, and its column ${stored.column.name} takes no null: declare the attribute required and not nullable, or the column without notNull`
    }
  }
}

/** A relationship leads to a declared type; documents hold the `meta` of its identifiers as it is stored. */
function* unrelated({ type, relationships }: ResourceDefinition, { types }: Registry): Problems {
  for (const [name, relationship] of Object.entries(relationships)) {
    const { target, cardinality } = relationship
    if (!types.includes(target)) {
      yield `${type}.${name} points to ${target}, which is not declared: add ${target} to the registry`
    }
    const meta = cardinality === 'many' ? Object.entries(relationship.meta ?? {}) : []
    for (const [member, { schema }] of meta) {
      if (!isEnumeration(schema())) {
        yield `${type}.${name}.meta.${member} must be an enumeration of letters, digits and ._~-, since documents hold it unescaped: declare it by z.enum`
      }
    }
  }
}

/** Each write sets a revision (contract, section 9). */
function* unrevised(definition: ResourceDefinition): Problems {
  const { type, stored } = definition
  const write = writeOf(definition)
  if (write && !stored.revision) {
    yield `${type} takes ${write}, but has no revision: declare stored.revision, or leave out the operations that write`
  }
}

/** One of the operations that change resources of the type, if there is any. */
function writeOf({ operations, relationships }: ResourceDefinition): Operation | undefined {
  const related = Object.values(relationships).map((relationship) => relationship.operations)
  return [operations, ...related]
    .flatMap((rules) => Object.keys(rules) as Operation[])
    .find((operation) => !isRead(operation))
}

/** A counter counts what the writes of its type insert and delete. */
function* miscounted({ type, stored }: ResourceDefinition): Problems {
  const keys = stored.counter === undefined ? [] : getTableConfig(stored.table).foreignKeys
  for (const key of keys.filter(({ onDelete }) => onDelete === 'cascade')) {
    yield `${type} has a counter, and no write counts the rows that go with what ${key.reference().columns[0]?.name} refers to: leave out counter, or the cascade`
  }
}

/** The snapshot in memory is the same for all callers, in the order of ids, and complete in itself. */
function* unfitForSnapshot(definition: ResourceDefinition, registry: Registry): Problems {
  const { type, snapshot, stored, relationships } = definition
  if (!snapshot) {
    return
  }
  const write = writeOf(definition)
  if (write) {
    yield `${type} is read from a snapshot, which nothing is written to: leave out ${write}, or snapshot`
  }
  if (stored.owner) {
    yield `${type} is read from a snapshot, which all callers share, and has owners: leave out stored.owner, or snapshot`
  }
  for (const sort of sortsOf(definition)) {
    yield `${type} is read from a snapshot, which is in the order of ids, and a sort by ${sort} needs the database: leave out snapshot, or sortable`
  }
  for (const [name, { target }] of Object.entries(relationships)) {
    if (registry.types.includes(target) && !registry.get(target).snapshot) {
      yield `${type} is read from a snapshot, and ${name} leads to ${target}, which is not: declare snapshot there too, or leave it out here`
    }
  }
}
