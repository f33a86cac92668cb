import { sql } from 'drizzle-orm'
import { linkageLimit } from '../jsonapi/run/plan.ts'
import { type StoredDefinition, storedRelationship } from './source.ts'
import { all, bare, compile, nameOf, type Statement } from './statement.ts'
import { claimed, id, type WriteValues } from './write-sql.ts'

/**
 * Refuses to replace, through its resource, a to-many relationship that has more members than a resource object shows
 * (contract, section 6): the statement writes NULL to the column of the target, which takes none, so that the constraint
 * fails, and the whole transaction with it. It does nothing where fewer members are stored, where the writer may not
 * change the resource, and where there is none. At most one member more than are shown is counted.
 *
 * @throws Error when the relationship is to-one
 */
export function shownWholeStatement(
  definition: StoredDefinition,
  name: string,
): Statement<WriteValues> {
  const relationship = storedRelationship(definition, name)
  if (relationship.cardinality === 'one') {
    throw new Error(`${name} is not a to-many relationship`)
  }
  const { table, owner, target } = relationship.stored
  const members = sql`${nameOf(table)} WHERE ${bare(owner)} = ${id}`
  const hidden = sql`EXISTS (SELECT 1 FROM ${members} LIMIT 1 OFFSET ${sql.raw(String(linkageLimit))})`
  return compile(
    sql`UPDATE ${nameOf(table)} SET ${bare(target)} = NULL
      WHERE ${all([sql`${bare(owner)} = ${id}`, hidden, claimed(definition.stored)])}`,
  )
}
