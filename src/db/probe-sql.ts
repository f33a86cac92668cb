import { type SQL, sql } from 'drizzle-orm'
import { lazy } from '../lib/lazy.ts'
import {
  claimable,
  fail,
  id,
  literal,
  mine,
  named,
  type Shape,
  sentTo,
  type WriteValues,
} from './edit-sql.ts'
import { unshown } from './replacement-sql.ts'
import {
  type StoredDefinition,
  type StoredRegistry,
  storedAttribute,
  storedRelationship,
} from './source.ts'
import { at, bare, commas, compile, nameOf, param, type Statement } from './statement.ts'

/**
 * The statement that fails with the reason where the statements of an edit cannot make it; otherwise it does nothing. It checks
 * in the order of the contract, section 2. It stands before the statements of the edit in the same batch, so that it sees the
 * state that they find, with the changes of earlier edits.
 */
export function probeStatement(
  registry: StoredRegistry,
  definition: StoredDefinition,
  { kind, attributes, relationships }: Shape,
  isConditional: boolean,
): Statement<WriteValues> {
  const { table, id: idColumn } = definition.stored
  const none = (condition: SQL): SQL =>
    sql`CASE WHEN NOT EXISTS (SELECT 1 FROM ${nameOf(table)} WHERE ${condition}) THEN '' END`
  const claims =
    kind === 'create'
      ? []
      : [
          fail('absent', none(sql`${bare(idColumn)} = ${id}`)),
          fail('foreign', none(mine(definition.stored))),
          ...(isConditional ? [fail('stale', none(claimable(definition.stored, true)))] : []),
        ]
  const unique = attributes.filter((name) => storedAttribute(definition, name).unique)
  // The targets of members that are removed need not exist.
  const needed = kind === 'remove' ? [] : relationships
  const checks = [
    ...claims,
    ...(kind === 'update' ? unshown(definition, relationships) : []),
    ...named(
      'dangling',
      needed.map((name) => missingOf(registry, definition, name)),
    ),
    ...named(
      'taken',
      unique.map((name) => takenBy(definition, name)),
    ),
  ]
  // `coalesce` takes two arguments at least, and evaluates them in order until one is not NULL.
  return compile(sql`SELECT coalesce(${commas([sql`NULL`, sql`NULL`, ...checks])}) AS probe`)
}

/** The name of a relationship and the indexes of the identifiers whose targets do not exist; NULL where all exist. */
function missingOf(registry: StoredRegistry, definition: StoredDefinition, name: string): SQL {
  const { stored } = registry.get(storedRelationship(definition, name).target)
  return sql`(SELECT ${literal(`${name} `)} || group_concat(key) FROM ${sentTo(name)}
    WHERE NOT EXISTS (SELECT 1 FROM ${nameOf(stored.table)} AS t WHERE ${at('t', stored.id)} = value ->> 'id'))`
}

/** The name of a unique attribute where another resource has its value; NULL where none has it. */
function takenBy(definition: StoredDefinition, name: string): SQL {
  const { table, id: idColumn } = definition.stored
  const { column, key } = storedAttribute(definition, name)
  const value = param<WriteValues>(({ attributes, keys }) => (key ? keys : attributes)[name])
  return sql`(SELECT ${literal(name)} FROM ${nameOf(table)} WHERE ${bare(key ?? column)} = ${value} AND ${bare(idColumn)} <> ${id} LIMIT 1)`
}

/** The statement that always fails. The statements before it in a batch are tried and then undone. */
export const undoStatement = lazy(() =>
  compile<Pick<WriteValues, 'name'>>(sql`SELECT ${fail('undone', sql`''`)} AS probe`),
)
