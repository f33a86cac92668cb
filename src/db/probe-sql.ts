import { type SQL, sql } from 'drizzle-orm'
import type { Change } from '../jsonapi/run/store.ts'
import { claimable, fail, id, literal, mine, named, sentTo, type WriteValues } from './edit-sql.ts'
import { neededTargets } from './refused.ts'
import { unshown } from './replacement-sql.ts'
import {
  type StoredDefinition,
  type StoredRegistry,
  storedAttribute,
  storedRelationship,
} from './source.ts'
import { at, bare, commas, compile, nameOf, param, type Statement } from './statement.ts'

/**
 * A statement that fails where the statements of an edit could not do all of it, in the order of the contract, section 2,
 * and else does nothing. Before them in one batch it judges what they find, earlier edits included.
 */
export function probeStatement(
  registry: StoredRegistry,
  definition: StoredDefinition,
  change: Change,
  isConditional: boolean,
): Statement<WriteValues> {
  const { table, id: idColumn } = definition.stored
  const none = (condition: SQL): SQL =>
    sql`CASE WHEN NOT EXISTS (SELECT 1 FROM ${nameOf(table)} WHERE ${condition}) THEN '' END`
  const claims =
    change.kind === 'create'
      ? []
      : [
          fail('absent', none(sql`${bare(idColumn)} = ${id}`)),
          fail('foreign', none(mine(definition.stored))),
          ...(isConditional ? [fail('stale', none(claimable(definition.stored, true)))] : []),
        ]
  const unique =
    'attributes' in change
      ? Object.keys(change.attributes).filter((name) => storedAttribute(definition, name).unique)
      : []
  const checks = [
    ...claims,
    ...(change.kind === 'update' ? unshown(definition, Object.keys(change.relationships)) : []),
    ...named(
      'dangling',
      neededTargets(change).map((name) => missingOf(registry, definition, name)),
    ),
    ...named(
      'taken',
      unique.map((name) => takenBy(definition, name)),
    ),
  ]
  // It takes two arguments at least, and looks at one after the other until one is not NULL.
  return compile(sql`SELECT coalesce(${commas([sql`NULL`, sql`NULL`, ...checks])}) AS probe`)
}

/** The name of a relationship and the places of the identifiers whose targets do not exist; NULL where all exist. */
function missingOf(registry: StoredRegistry, definition: StoredDefinition, name: string): SQL {
  const { stored } = registry.get(storedRelationship(definition, name).target)
  return sql`(SELECT ${literal(`${name} `)} || group_concat(key) FROM ${sentTo(name)}
    WHERE NOT EXISTS (SELECT 1 FROM ${nameOf(stored.table)} AS t WHERE ${at('t', stored.id)} = value ->> 'id'))`
}

/** The name of an attribute whose value another resource has; NULL where none has it. */
function takenBy(definition: StoredDefinition, name: string): SQL {
  const { table, id: idColumn } = definition.stored
  const { column, key } = storedAttribute(definition, name)
  const value = param<WriteValues>(({ attributes, keys }) => (key ? keys : attributes)[name])
  return sql`(SELECT ${literal(name)} FROM ${nameOf(table)} WHERE ${bare(key ?? column)} = ${value} AND ${bare(idColumn)} <> ${id} LIMIT 1)`
}

/** A statement that fails in any case: what stands before it in a batch is tried, and undone. */
export const undoStatement: Statement<Pick<WriteValues, 'name'>> = compile(
  sql`SELECT ${fail('undone', sql`''`)} AS probe`,
)
