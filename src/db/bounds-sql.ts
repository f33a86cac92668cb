import { type SQL, sql } from 'drizzle-orm'
import { linkageLimit } from '../jsonapi/run/plan.ts'
import {
  added,
  among,
  countUpTo,
  gone,
  id,
  isStored,
  literal,
  made,
  mostMembers,
  mostOwned,
  named,
  owner,
  sentTo,
  tooManyLinks,
  touched,
} from './edit-sql.ts'
import {
  type MemberTable,
  type StoredDefinition,
  type StoredRegistry,
  storedRelationship,
} from './source.ts'
import { all, bare, nameOf } from './statement.ts'

/*
 * The expressions that judge bounds: how many resources a person owns, how many members a relationship has, and how many members
 * name a resource. Each counts entries of one index, and no more of them than the bound allows and one.
 */

/** When a bound is judged: as the database is, or as it will be after the earlier edits of the write (see `earlier.ts`). */
export type When = 'now' | 'then'

/** The members of a relationship: rows of its table, and a number of further ones that have no row yet. */
interface Members {
  readonly rows: SQL
  readonly further: SQL
  /** The condition that an id is none of the further ones. */
  readonly isNew: (id: SQL) => SQL
}

function membersOf({ table, owner, target }: MemberTable, name: string, when: When): Members {
  const rows = sql`${nameOf(table)} WHERE ${bare(owner)} = ${id}`
  return when === 'now'
    ? { rows, further: sql`0`, isNew: () => sql`1` }
    : {
        rows: sql`${rows} AND ${isStored(name)} AND ${bare(target)} NOT IN ${among(touched(name))}`,
        further: sql`(SELECT count(*) FROM ${added(name)})`,
        isNew: (one) => sql`${one} NOT IN ${among(added(name))}`,
      }
}

/**
 * The expression that refuses an update of a resource which would replace a to-many relationship with more members than a
 * resource object shows (contract, section 6). It fails as `unshown` with the names of these relationships, and is NULL where
 * there is none.
 *
 * @param names the relationships that the update replaces
 */
export function unshown(definition: StoredDefinition, names: readonly string[], when: When): SQL[] {
  const texts = names.flatMap((name) => {
    const relationship = storedRelationship(definition, name)
    if (relationship.cardinality === 'one') {
      return []
    }
    const { rows, further } = membersOf(relationship.stored, name, when)
    const shown = sql.raw(String(linkageLimit))
    return [
      sql`(SELECT ${literal(name)} WHERE (SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${shown} + 1)) + ${further} > ${shown})`,
    ]
  })
  return named('unshown', texts)
}

/** The condition that the quota has room for one more resource of a person (contract, section 15); it holds for a type without owners. */
export function hasRoomToOwn({ type, stored }: StoredDefinition, when: When): SQL {
  if (!stored.owner) {
    return sql`1`
  }
  const table = nameOf(stored.table)
  const mine = sql`${bare(stored.owner)} = ${owner}`
  if (when === 'now') {
    return sql`${countUpTo(mostOwned, sql`${table} WHERE ${mine}`)} < ${mostOwned}`
  }
  // The index of owners holds no ids, so that the resources of earlier edits are counted, too, and taken off.
  const ids = sql`(SELECT value FROM ${gone(type)} UNION SELECT value FROM ${made(type)})`
  const counted = sql`(SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${mine} LIMIT ${mostOwned} + (SELECT count(*) FROM ${ids})))`
  const known = sql`(SELECT count(*) FROM ${ids} AS i WHERE EXISTS (SELECT 1 FROM ${table} WHERE ${bare(stored.id)} = i.value AND ${mine}))`
  const further = sql`(SELECT count(*) FROM ${made(type)} WHERE value NOT IN ${among(gone(type))})`
  return sql`${counted} - ${known} + ${further} < ${mostOwned}`
}

/**
 * The condition that the quota has room for the members that are added (contract, section 15). Those that are members already
 * take no room.
 */
export function hasRoomToAdd(memberTable: MemberTable, name: string, when: When): SQL {
  const { rows, further, isNew } = membersOf(memberTable, name, when)
  const one = sql`value ->> 'id'`
  const isAbsent = sql`NOT EXISTS (SELECT 1 FROM ${rows} AND ${bare(memberTable.target)} = ${one})`
  const news = sql`(SELECT count(DISTINCT ${one}) FROM ${sentTo(name)} WHERE ${all([isNew(one), isAbsent])})`
  return sql`min(${countUpTo(mostMembers, rows)} + ${further}, ${mostMembers}) + ${news} <= ${mostMembers}`
}

/** The condition that the quota has room for all members that are sent, where no others stay. */
export function hasRoomForAll(name: string): SQL {
  return sql`(SELECT count(DISTINCT value ->> 'id') FROM ${sentTo(name)}) <= ${mostMembers}`
}

/**
 * The text that is NULL unless more members of relationships name the resource than may be deleted with it (contract,
 * section 13); undefined where no to-many relationship leads to the type.
 */
export function manyLinks(registry: StoredRegistry, { type }: StoredDefinition): SQL | undefined {
  const relationships = registry.types.flatMap((each) =>
    Object.values(registry.get(each).relationships),
  )
  const links = relationships.flatMap((relationship) =>
    relationship.cardinality === 'many' && relationship.target === type
      ? [
          sql`SELECT 1 FROM ${nameOf(relationship.stored.table)} WHERE ${bare(relationship.stored.target)} = ${id}`,
        ]
      : [],
  )
  return links.length === 0
    ? undefined
    : sql`CASE WHEN (SELECT count(*) FROM (${sql.join(links, sql` UNION ALL `)} LIMIT ${tooManyLinks})) >= nullif(${tooManyLinks}, 0) THEN '' END`
}
