import { eq, sql } from 'drizzle-orm'
import { among, type Database, listOf, type Query, type Rows } from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { Refusal } from '../jsonapi/run/store.ts'
import { expressionOf } from './apply.ts'
import type { Condition, Quotas } from './conditions.ts'

/** Asks whether a condition holds by a plain select. */
export function questionOf(db: Database, registry: Registry, condition: Condition): Query {
  if (condition.kind === 'row') {
    const { table, id, owner, revision } = registry.get(condition.type).stored
    const columns = { id, ...(owner && { owner }), ...(revision && { revision }) }
    return db.select(columns).from(table).where(eq(id, condition.id))
  }
  if (condition.kind === 'targets') {
    const { table, id } = registry.get(condition.target).stored
    return db
      .select({ id })
      .from(table)
      .where(among(id, sql.param(listOf(id, condition.ids))))
  }
  const holds = expressionOf(db, registry, condition).mapWith(Boolean)
  return db.select({ holds: holds.as('holds') }).from(sql`(select 1) as one`)
}

/**
 * The refusal of the first condition that does not hold, from the answers to the questions of all of them; undefined where all hold.
 * What one edit lacks of one kind is in one refusal.
 */
export function refusalOf(
  quotas: Quotas,
  conditions: readonly Condition[],
  answers: readonly Rows[],
): Refusal | undefined {
  const refusals = conditions.flatMap(
    (condition, index) => refusalFrom(quotas, condition, answers[index] ?? []) ?? [],
  )
  const [first] = refusals
  const same = refusals.filter(({ at, kind }) => at === first?.at && kind === first.kind)
  if (first?.kind === 'dangling') {
    return { ...first, targets: same.flatMap((one) => ('targets' in one ? one.targets : [])) }
  }
  if (first?.kind === 'taken') {
    return {
      ...first,
      attributes: same.flatMap((one) => ('attributes' in one ? one.attributes : [])),
    }
  }
  return first
}

function refusalFrom(quotas: Quotas, condition: Condition, rows: Rows): Refusal | undefined {
  const { at, kind } = condition
  if (kind === 'never') {
    return condition.refusal
  }
  if (kind === 'row') {
    const [row] = rows
    const { owner, expected } = condition
    return !row
      ? { at, kind: 'absent' }
      : owner !== null && row.owner !== owner
        ? { at, kind: 'foreign' }
        : expected && !expected.includes(String(row.revision))
          ? { at, kind: 'stale' }
          : undefined
  }
  if (kind === 'targets') {
    const { relationship, ids, gone } = condition
    const found = new Set(rows.map(({ id }) => id))
    const missing = ids.filter((id) => gone.includes(id) || !found.has(id))
    const targets = missing.map((id) => ({ relationship, id }))
    return targets.length > 0 ? { at, kind: 'dangling', targets } : undefined
  }
  if (rows[0]?.holds === true) {
    return undefined
  }
  switch (kind) {
    case 'links':
      return { at, kind: 'linked', most: condition.max }
    case 'unique':
      return { at, kind: 'taken', attributes: [condition.attribute] }
    case 'owned':
      return { at, kind: 'full', most: quotas.owned }
    case 'members':
      return { at, kind: 'full', relationship: condition.relationship, most: quotas.members }
  }
}
