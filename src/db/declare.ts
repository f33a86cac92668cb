import { isRead, type Operation } from '../jsonapi/declare/operation.ts'
import { filtersOf, sortsOf } from '../jsonapi/declare/readable.ts'
import { createRegistry as collect } from '../jsonapi/declare/registry.ts'
import { declarations } from '../jsonapi/declare/resource.ts'
import { takes } from '../jsonapi/validate.ts'
import {
  keyColumn,
  type StoredDefinition,
  type StoredRegistry,
  storedAttribute,
  type Tables,
} from './source.ts'

/** The words in which resource types are declared that are stored in tables. */
export const { defineResource, toOne, toMany } = declarations<Tables>()

/**
 * Collects resource types that are stored in tables.
 *
 * @throws Error when they declare what cannot be served, with the reason and what to do
 */
export function createRegistry(definitions: readonly StoredDefinition[]): StoredRegistry {
  return collect(definitions, (registry) => {
    for (const definition of definitions) {
      const problem =
        uncomparable(definition) ??
        unwritable(definition) ??
        (definition.stored.kept && unkept(registry, definition)) ??
        unrevised(definition)
      if (problem) {
        throw new Error(`${definition.type}${problem}`)
      }
    }
  })
}

/** Why a sort or a filter cannot be answered. */
function uncomparable(definition: StoredDefinition): string | undefined {
  const sorts = sortsOf(definition)
  const filters = Object.keys(filtersOf(definition)).filter((name) => name !== 'id')
  for (const name of [...sorts, ...filters]) {
    const { as } = storedAttribute(definition, name)
    if (as) {
      return `.${name} is stored as ${as}, which compares with nothing: leave out sortable and filter`
    }
  }
  const nullable = sorts.find((name) => !keyColumn(definition, name).notNull)
  return (
    nullable &&
    `.${nullable} may be null where it is compared, and no page goes on behind a null: declare the column with notNull, or a key column beside it`
  )
}

/** Why a write that is valid would fail: a column that takes no null, where there may be no value. */
function unwritable({ attributes, operations }: StoredDefinition): string | undefined {
  for (const [name, { schema, required, stored }] of Object.entries(attributes)) {
    const strict = [stored.column, stored.key].find((column) => column?.notNull)
    const isLeftOut = operations.create && !required
    const isCleared = (operations.create || operations.update) && takes(schema, null)
    if (strict && (isLeftOut || isCleared)) {
      return `.${name} may have no value, and its column ${strict.name} takes no null: declare it required and not nullable, or the column without notNull`
    }
  }
  return undefined
}

/** Why no revision would hold (contract, section 9): each write sets one and looks for it. */
function unrevised(definition: StoredDefinition): string | undefined {
  const { revision } = definition.stored
  const write = writeOf(definition)
  if (write === undefined) {
    return undefined
  }
  if (!revision) {
    return ` takes ${write}, but has no revision: declare stored.revision, or leave out what writes`
  }
  return revision.notNull
    ? undefined
    : `'s column of the revision, ${revision.name}, may be null, which equals no other revision: declare it with notNull`
}

/** One of the operations that change the type, if there is any. */
function writeOf({ operations, relationships }: StoredDefinition): Operation | undefined {
  const related = Object.values(relationships).map((relationship) => relationship.operations)
  return [operations, ...related]
    .flatMap((rules) => Object.keys(rules) as Operation[])
    .find((operation) => !isRead(operation))
}

/** Why a type cannot be answered from memory. */
function unkept(registry: StoredRegistry, definition: StoredDefinition): string | undefined {
  const kept = 'is kept in memory'
  const write = writeOf(definition)
  if (write) {
    return ` ${kept}, where nothing is written: leave out ${write}, or kept`
  }
  const [sort] = sortsOf(definition)
  if (sort) {
    return ` ${kept}, in the order of ids: a sort by ${sort} needs the database, so leave out kept, or sortable`
  }
  const away = Object.entries(definition.relationships).find(
    ([, { target }]) => !registry.get(target).stored.kept,
  )
  return (
    away &&
    ` ${kept} whole, and ${away[0]} leads to ${away[1].target}, which are not: keep them too, or leave out kept`
  )
}
