import { type SQL, sql } from 'drizzle-orm'
import { linkageLimit } from '../jsonapi/run/plan.ts'
import { id, literal, named } from './edit-sql.ts'
import { type StoredDefinition, storedRelationship } from './source.ts'
import { bare, nameOf } from './statement.ts'

/**
 * Refuses to replace, through its resource, a to-many relationship that has more members than a resource object shows
 * (contract, section 6): fails as `unshown` with the names of all such relationships among those that are named, and is
 * NULL where there is none. At most one member more than are shown is counted.
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
