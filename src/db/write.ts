import { eq } from 'drizzle-orm'
import {
  among,
  applyBatch,
  clockQueries,
  db,
  oneRow,
  type Query,
  type Rows,
  runAll,
  type Statement,
} from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { Edit, Fault, Outcome, Refusal } from '../jsonapi/run/port.ts'
import { batchOf, expressionOf, type Writing } from './apply.ts'
import { type Condition, conditionsOf } from './conditions.ts'
import { prepare } from './read.ts'

/** How often a write is sent at most. It is sent again if nothing was written, and its conditions hold by then. */
const maxAttempts = 5

/** The longest pause before a write is sent again, in milliseconds. */
const maxPauseMs = 200

/** A batch of D1 that arrives later than these milliseconds does nothing. */
const validityMs = 3_000

/** How long to wait before each look for a write whose answer is lost, in milliseconds. */
const lookEveryMs = 1_000

/** A write has failed. The message says that nothing was written, or that the outcome is not known. */
export class WriteFailed extends Error {
  override readonly name = 'WriteFailed'
}

/**
 * Makes all edits or none. Sends them with their conditions, and asks for the reason if they are refused.
 *
 * @throws WriteFailed if all attempts were in vain, or if an answer was lost and nothing shows whether the edits were made
 */
export async function writeAll(begun: Writing, edits: readonly Edit[]): Promise<Outcome> {
  const { registry, quotas } = begun
  let writing = begun
  const conditions = [...conditionsOf(registry, quotas, edits)]
  const { batch, foundIn } = await batchOf(writing, edits, conditions)
  let skew = 0
  for (let attempt = 1; ; attempt++) {
    writing.connection.usage.attempts = attempt
    const until = Date.now() + skew + validityMs
    const { results, failure, error } = await applyBatch(writing.connection, batch, until)
    if (results) {
      return { kind: 'done', found: await foundIn(results).catch(unknownOutcome) }
    }
    if (failure === 'failed') {
      throw error
    }
    if (failure === 'unknown') {
      unknownOutcome(error)
    }
    if (failure === 'lost') {
      // In the session of the write, a replica could answer that has not seen it.
      writing = { ...writing, connection: writing.reconnect() }
      const seen = await lookFor(writing, edits, until).catch(unknownOutcome)
      if (seen) {
        return seen
      }
    }
    const questions = conditions.map((each) => questionOf(registry, each).toSQL())
    const { now, used, rows } = await ask(writing, questions)
    // If all conditions hold now, there is no outcome: another attempt may succeed.
    const outcome = used ?? refusalOf(conditions, rows)
    if (outcome) {
      return outcome
    }
    if (attempt === maxAttempts) {
      throw new WriteFailed('Nothing was written.')
    }
    skew = now - Date.now()
    await writing.connection.pause(Math.random() * maxPauseMs)
  }
}

/** @throws WriteFailed always: nothing shows what has become of a write */
export function unknownOutcome(cause: unknown): never {
  throw new WriteFailed('Whether the change was made is not known.', { cause })
}

/**
 * Asks questions in one round trip.
 *
 * @returns the rows of each; the clock of the database, and the outcome if the guard has found an earlier write
 */
async function ask({ connection, guard }: Writing, questions: readonly Statement[]) {
  const first = [...clockQueries, ...(guard ? [guard.question] : [])]
  const rows = await runAll(connection, [...first.map((query) => query.toSQL()), ...questions])
  const [clock] = rows.splice(0, clockQueries.length)
  const used = guard?.used(rows.shift() ?? [])
  return { now: clock ? Number(clock[0]?.[0]) : Date.now(), used, rows }
}

/** The query for a condition: whether it holds, or the rows that show its faults. */
function questionOf(registry: Registry, condition: Condition): Query {
  if (condition.kind === 'rows') {
    const { table, id, owner, revision = id } = registry.get(condition.type).stored
    const columns = { id, revision, ...(owner && { owner }) }
    return db.select(columns).from(table).where(among(id, condition.ids))
  }
  return db.select({ holds: expressionOf(registry, condition) }).from(oneRow)
}

/** The refusal for the first condition that does not hold. It has all faults of the same edit that are of the same kind. */
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
    return rows[0]?.[0] ? [] : [condition.fault]
  }
  const { ids, relationship, deleted = [], owner, ifMatch, ifNoneMatch } = condition
  if (relationship !== undefined) {
    const isMissing = (id: string) => deleted.includes(id) || rows.every((row) => row[0] !== id)
    const missing = ids.filter(isMissing)
    return missing.map((id) => ({ kind: 'dangling', relationship, id }))
  }
  const [row] = rows
  if (!row) {
    return [{ kind: 'absent' }]
  }
  const [, revision = '', person] = row.map(String)
  if (owner && person !== owner) {
    return [{ kind: 'foreign' }]
  }
  if (ifMatch && !ifMatch.includes(revision)) {
    return [{ kind: 'stale', condition: 'ifMatch' }]
  }
  const isExcluded = ifNoneMatch === '*' || ifNoneMatch?.includes(revision)
  return isExcluded ? [{ kind: 'stale', condition: 'ifNoneMatch' }] : []
}

/**
 * Finds out whether edits were made whose answer D1 has lost. They were if a row shows it. They were not if no row does when it is too late
 * for their batch.
 *
 * @returns undefined if they were certainly not made
 * @throws Error if nothing shows it within the time of the request
 */
async function lookFor(
  writing: Writing,
  edits: readonly Edit[],
  until: number,
): Promise<Outcome | undefined> {
  const { connection, registry, cipher, guard } = writing
  const created = new Set(edits.flatMap(({ kind, id }) => (kind === 'create' ? [id] : [])))
  // A row shows the last edit of its resource.
  const last = [...new Map(edits.map((edit) => [`${edit.type} ${edit.id}`, edit])).values()]
  const questions = last.map((edit) => {
    const { table, id, revision = id } = registry.get(edit.type).stored
    return db.select({ revision }).from(table).where(eq(id, edit.id)).toSQL()
  })
  // The reads of the edits, in the same round trip: what is found now may be gone a moment later.
  const reads = edits.flatMap(({ read }) => read ?? [])
  const { statements, foundIn } = prepare(registry, cipher, reads)
  for (;;) {
    await connection.pause(lookEveryMs)
    // A look that fails shows nothing.
    const failed = () => ({ now: 0, used: undefined, rows: [] })
    const { now, used, rows } = await ask(writing, [...questions, ...statements]).catch(failed)
    const fates = last.map((edit, at) => fateOf(edit, created.has(edit.id), rows[at]?.[0]))
    if (fates.includes('made')) {
      return { kind: 'done', found: await foundIn(rows.slice(last.length)) }
    }
    if (used || (now > until && (guard || fates.includes('not made')))) {
      return used
    }
    if (now > until) {
      throw new Error('Nothing shows whether the write was made')
    }
  }
}

/**
 * What the row of an edit shows: that the edit was made, that it was not, or nothing. It shows the same of all edits of the batch. No two
 * edits write the same revision, and no two creates the same id.
 */
function fateOf({ kind, revision, ifMatch }: Edit, isNew: boolean, row?: Rows[number]) {
  if (kind === 'delete') {
    return row && !isNew ? 'not made' : 'unknown'
  }
  if (row && (isNew || row[0] === revision)) {
    return 'made'
  }
  return ifMatch?.includes(String(row?.[0])) ? 'not made' : 'unknown'
}
