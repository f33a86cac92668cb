import { checkDeclarations } from '../jsonapi/declare/check.ts'
import { isRead, type Operation } from '../jsonapi/declare/operation.ts'
import { filtersOf, sortsOf } from '../jsonapi/declare/readable.ts'
import { takes } from '../jsonapi/validate.ts'
import { keyColumn, type StoredDefinition, type StoredRegistry, storedAttribute } from './source.ts'

/**
 * Checks that all types of a registry can be served from their tables. The build of the Worker does it, so that no isolate has
 * to.
 *
 * @throws Error when a type declares something that cannot be served; the message says why and what to change
 */
export function checkRegistry(registry: StoredRegistry): void {
  checkDeclarations(registry)
  for (const definition of registry.types.map(registry.get)) {
    const problem =
      uncomparable(definition) ??
      unwritable(definition) ??
      (definition.snapshot && unfitForSnapshot(registry, definition)) ??
      unrevised(definition)
    if (problem) {
      throw new Error(`${definition.type}${problem}`)
    }
  }
}

/** Why the type cannot be sorted or filtered as declared; undefined when it can. */
function uncomparable(definition: StoredDefinition): string | undefined {
  const sorts = sortsOf(definition)
  const filters = Object.keys(filtersOf(definition)).filter((name) => name !== 'id')
  for (const name of [...sorts, ...filters]) {
    const { as } = storedAttribute(definition, name)
    if (as) {
      return `.${name} is stored as ${as}, and such a column cannot be compared with a value: leave out sortable and filter`
    }
  }
  const nullable = sorts.find((name) => !keyColumn(definition, name).notNull)
  return (
    nullable &&
    `.${nullable} may be null in the column that it is sorted by, and a page cannot begin after a null: declare the column with notNull, or a key column beside it`
  )
}

/** Why a valid write would fail: an attribute may have no value, but its column takes no null. Undefined when none fails. */
function unwritable({ attributes, operations }: StoredDefinition): string | undefined {
  for (const [name, { schema, required, stored }] of Object.entries(attributes)) {
    const strict = [stored.column, stored.key].find((column) => column?.notNull)
    const isLeftOut = operations.create && !required
    const isCleared = () => (operations.create || operations.update) && takes(schema(), null)
    if (strict && (isLeftOut || isCleared())) {
      return `.${name} may have no value, and its column ${strict.name} takes no null: declare the attribute required and not nullable, or the column without notNull`
    }
  }
  return undefined
}

/** Why the type cannot have the revision that each write needs (contract, section 9); undefined when it can. */
function unrevised(definition: StoredDefinition): string | undefined {
  const { revision } = definition.stored
  const write = writeOf(definition)
  if (write === undefined) {
    return undefined
  }
  if (!revision) {
    return ` takes ${write}, but has no revision: declare stored.revision, or leave out the operations that write`
  }
  return revision.notNull
    ? undefined
    : ` stores its revision in ${revision.name}, which may be null, and a null equals no revision: declare the column with notNull`
}

/** One of the operations that change resources of the type, if there is any. */
function writeOf({ operations, relationships }: StoredDefinition): Operation | undefined {
  const related = Object.values(relationships).map((relationship) => relationship.operations)
  return [operations, ...related]
    .flatMap((rules) => Object.keys(rules) as Operation[])
    .find((operation) => !isRead(operation))
}

/** Why a type cannot be served from the snapshot in memory; undefined when it can. */
function unfitForSnapshot(
  registry: StoredRegistry,
  definition: StoredDefinition,
): string | undefined {
  const write = writeOf(definition)
  if (write) {
    return ` is read from a snapshot, which nothing is written to: leave out ${write}, or snapshot`
  }
  if (definition.stored.owner) {
    return ' is read from a snapshot, which all callers share, and has owners: leave out stored.owner, or snapshot'
  }
  const [sort] = sortsOf(definition)
  if (sort) {
    return ` is read from a snapshot, which is in the order of ids, and a sort by ${sort} needs the database: leave out snapshot, or sortable`
  }
  const away = Object.entries(definition.relationships).find(
    ([, { target }]) => !registry.get(target).snapshot,
  )
  return (
    away &&
    ` is read from a snapshot, and ${away[0]} leads to ${away[1].target}, which is not: declare snapshot there too, or leave it out here`
  )
}
