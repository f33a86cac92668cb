import { type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { hasRoomForAll, hasRoomToAdd, hasRoomToOwn, manyLinks, unshown } from './bounds-sql.ts'
import {
  among,
  claimable,
  fail,
  gone,
  held,
  id,
  ifRoom,
  literal,
  made,
  mine,
  named,
  type Shape,
  sentTo,
  valueIn,
  type WriteValues,
} from './edit-sql.ts'
import {
  type StoredDefinition,
  type StoredRegistry,
  storedAttribute,
  storedRelationship,
} from './source.ts'
import { at, bare, commas, compile, nameOf, type Statement } from './statement.ts'

/**
 * The statement that fails with the reason where the statements of an edit cannot make it; otherwise it does nothing. It checks
 * in the order of the contract, section 2. It judges the state that the edit will find, with the changes of earlier edits, and
 * gives the same result before and after these are made: it knows what they change (see `earlier.ts`).
 */
export function probeStatement(
  registry: StoredRegistry,
  definition: StoredDefinition,
  { kind, attributes, relationships }: Shape,
  isConditional: boolean,
): Statement<WriteValues> {
  const { stored, type } = definition
  const none = (condition: SQL): SQL => sql`CASE WHEN NOT ${condition} THEN '' END`
  const row = (condition: SQL): SQL =>
    sql`EXISTS (SELECT 1 FROM ${nameOf(stored.table)} WHERE ${condition})`
  const claims =
    kind === 'create'
      ? []
      : [
          fail('absent', none(there(definition, id))),
          // Whoever makes a resource owns it.
          fail('foreign', none(sql`(${id} IN ${among(made(type))} OR ${row(mine(stored))})`)),
          ...(isConditional ? [fail('stale', none(row(claimable(stored, true))))] : []),
        ]
  const links = kind === 'delete' ? manyLinks(registry, definition) : undefined
  const needs = kind === 'delete' ? neededBy(registry, definition) : []
  const unique = attributes.filter((name) => storedAttribute(definition, name).unique)
  // The targets of members that are removed need not exist.
  const needed = kind === 'remove' ? [] : relationships
  const checks = [
    ...claims,
    ...(links ? [fail('linked', links)] : []),
    ...(needs.length > 0
      ? [fail('needed', sql`CASE WHEN ${sql.join(needs, sql` OR `)} THEN '' END`)]
      : []),
    ...(kind === 'update' ? unshown(definition, relationships, 'then') : []),
    ...named(
      'dangling',
      needed.map((name) => missingOf(registry, definition, name)),
    ),
    ...named(
      'taken',
      unique.map((name) => takenBy(definition, name)),
    ),
    ...(kind === 'create' ? [ifRoom(hasRoomToOwn(definition, 'then'), sql`NULL`, '')] : []),
    ...needed.flatMap((name) => fullOf(definition, name, kind)),
  ]
  // `coalesce` takes two arguments at least, and evaluates them in order until one is not NULL.
  return compile(sql`SELECT coalesce(${commas([sql`NULL`, sql`NULL`, ...checks])}) AS probe`)
}

/** The condition that a resource of a type is there. */
function there({ type, stored }: StoredDefinition, one: SQL): SQL {
  return sql`(${one} NOT IN ${among(gone(type))} AND (${one} IN ${among(made(type))}
    OR EXISTS (SELECT 1 FROM ${nameOf(stored.table)} AS t WHERE ${at('t', stored.id)} = ${one})))`
}

/** The name of a relationship and the indexes of the identifiers whose targets do not exist; NULL where all exist. */
function missingOf(registry: StoredRegistry, definition: StoredDefinition, name: string): SQL {
  const target = registry.get(storedRelationship(definition, name).target)
  return sql`(SELECT ${literal(`${name} `)} || group_concat(key) FROM ${sentTo(name)}
    WHERE NOT ${there(target, sql`value ->> 'id'`)})`
}

/** The name of a unique attribute where another resource has its value; NULL where none has it. */
function takenBy(definition: StoredDefinition, name: string): SQL {
  const { column, key } = storedAttribute(definition, name)
  const compared = key ?? column
  return sql`(SELECT ${literal(name)} WHERE ${isHeld(definition, compared, valueIn(compared), true)})`
}

/** The condition that a resource of a type has a value in a column, maybe another one than that of the edit. */
function isHeld(
  { type, stored }: StoredDefinition,
  column: SQLiteColumn,
  value: SQL,
  byAnother: boolean,
): SQL {
  const isOther = (one: SQL): SQL => (byAnother ? sql`${one} <> ${id}` : sql`1`)
  const own = bare(stored.id)
  return sql`(EXISTS (SELECT 1 FROM ${held(type, column)} WHERE value = ${value} AND ${isOther(sql`key`)})
    OR EXISTS (SELECT 1 FROM ${nameOf(stored.table)} WHERE ${bare(column)} = ${value} AND ${isOther(own)}
      AND ${own} NOT IN (SELECT key FROM ${held(type, column)})))`
}

/** The conditions that other resources need the one that is deleted: a foreign key leads to it that does not let it go. */
function neededBy(registry: StoredRegistry, { type }: StoredDefinition): SQL[] {
  return registry.types.map(registry.get).flatMap((definition) => {
    const keys = getTableConfig(definition.stored.table).foreignKeys
    return Object.values(definition.relationships).flatMap((relationship) => {
      const { cardinality, target, stored } = relationship
      if (cardinality === 'many' || target !== type) {
        return []
      }
      const key = keys.find((each) => each.reference().columns.includes(stored))
      const isKept = key?.onDelete === undefined || ['no action', 'restrict'].includes(key.onDelete)
      return key && isKept ? [isHeld(definition, stored, id, definition.type === type)] : []
    })
  })
}

/** The failure where a to-many relationship has no room for the members that were sent. */
function fullOf(definition: StoredDefinition, name: string, kind: Shape['kind']): SQL[] {
  const relationship = storedRelationship(definition, name)
  if (relationship.cardinality === 'one') {
    return []
  }
  const hasRoom =
    kind === 'add' ? hasRoomToAdd(relationship.stored, name, 'then') : hasRoomForAll(name)
  return [ifRoom(hasRoom, sql`NULL`, name)]
}
