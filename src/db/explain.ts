import { sql } from 'drizzle-orm'
import { clock, type Database, type Query, type Rows, selectAll } from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { Fault, Refusal } from '../jsonapi/run/port.ts'
import { expressionOf, isAmong, type Writing } from './apply.ts'
import type { Condition } from './conditions.ts'

const one = sql`(select 1) as one`

/**
 * Asks questions in one round trip.
 *
 * @returns the rows of each; the clock of the database, and the outcome where the guard has found an earlier write
 */
export async function ask(
  { connection: { db, call }, guarded }: Writing,
  questions: readonly Query[],
) {
  const first = [
    db.select({ now: clock.as('now') }).from(one),
    ...(guarded ? [guarded.question(db)] : []),
  ]
  const all = await call(() => selectAll(db, [...first, ...questions]))
  const [[time] = [], stored = []] = all
  return { now: Number(time?.now), used: guarded?.used(stored), rows: all.slice(first.length) }
}

/** Asks why a write was refused. The outcome is undefined if all its conditions hold now. */
export async function explain(writing: Writing, conditions: readonly Condition[]) {
  const { connection, registry } = writing
  const questions = conditions.map((each) => questionOf(connection.db, registry, each))
  const { now, used, rows } = await ask(writing, questions)
  return { now, outcome: used ?? refusalOf(conditions, rows) }
}

function questionOf(db: Database, registry: Registry, condition: Condition): Query {
  if (condition.kind === 'rows') {
    const { table, id, owner, revision } = registry.get(condition.type).stored
    const columns = { id, ...(owner && { owner }), ...(revision && { revision }) }
    return db.select(columns).from(table).where(isAmong(id, condition.ids))
  }
  const holds = expressionOf(db, registry, condition).mapWith(Boolean)
  return db.select({ holds: holds.as('holds') }).from(one)
}

/** The refusal of the first condition that does not hold. What its edit lacks of the same kind is in it, too. */
function refusalOf(
  conditions: readonly Condition[],
  answers: readonly Rows[],
): Refusal | undefined {
  const all = conditions.flatMap((condition, index) =>
    faultsOf(condition, answers[index] ?? []).map((fault) => ({ at: condition.at, fault })),
  )
  const [first] = all
  const same = all.filter(({ at, fault }) => at === first?.at && fault.kind === first.fault.kind)
  return first && { kind: 'refused', at: first.at, faults: same.map(({ fault }) => fault) }
}

function faultsOf(condition: Condition, rows: Rows): Fault[] {
  if (condition.kind !== 'rows') {
    return rows[0]?.holds ? [] : [condition.fault]
  }
  const { ids, relationship, owner, ifMatch, ifNoneMatch } = condition
  if (relationship !== undefined) {
    const missing = ids.filter((id) => rows.every((row) => row.id !== id))
    return missing.map((id) => ({ kind: 'dangling', relationship, id }))
  }
  const [row] = rows
  if (!row) {
    return [{ kind: 'absent' }]
  }
  if (owner && row.owner !== owner) {
    return [{ kind: 'foreign' }]
  }
  const revision = String(row.revision)
  if (ifMatch && !ifMatch.includes(revision)) {
    return [{ kind: 'stale', condition: 'ifMatch' }]
  }
  const isExcluded = ifNoneMatch === '*' || ifNoneMatch?.includes(revision)
  return isExcluded ? [{ kind: 'stale', condition: 'ifNoneMatch' }] : []
}
