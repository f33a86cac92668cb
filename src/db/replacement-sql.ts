import { type SQL, sql } from 'drizzle-orm'
import { linkageLimit } from '../jsonapi/run/plan.ts'
import { id, literal, named } from './edit-sql.ts'
import { type StoredDefinition, storedRelationship } from './source.ts'
import { bare, nameOf } from './statement.ts'

/**
 * The expression that refuses an update of a resource which would replace a to-many relationship with more members than a
 * resource object shows (contract, section 6). It fails as `unshown` with the names of these relationships, and is NULL where
 * there is none. No more members than one beyond the shown ones are read.
 *
 * @param names the relationships that the update replaces
 */
export function unshown(definition: StoredDefinition, names: readonly string[]): SQL[] {
  const texts = names.flatMap((name) => {
    const relationship = storedRelationship(definition, name)
    if (relationship.cardinality === 'one') {
      return []
    }
    const { table, owner } = relationship.stored
    return [
      sql`(SELECT ${literal(name)} FROM ${nameOf(table)} WHERE ${bare(owner)} = ${id} LIMIT 1 OFFSET ${sql.raw(String(linkageLimit))})`,
    ]
  })
  return named('unshown', texts)
}
