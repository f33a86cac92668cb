import { eq } from 'drizzle-orm'
import { among, applyBatch, clock, db, one, type Query, type Rows, runAll } from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { Edit, Fault, Outcome, Refusal } from '../jsonapi/run/port.ts'
import { batchOf, expressionOf, type Writing } from './apply.ts'
import { type Condition, conditionsOf } from './conditions.ts'
import { readAll } from './read.ts'

/** How often a write is sent at most. It is sent again if nothing was written, and all its conditions hold after that. */
const maxAttempts = 5

/** The longest pause before a write is sent again, in milliseconds. */
const maxPauseMs = 200

/** A write has failed. The message says that nothing was written, or that the outcome is not known. */
export class WriteFailed extends Error {
  override readonly name = 'WriteFailed'
}

/**
 * Makes all edits or none. Sends them with their conditions, and asks for the reason if they are refused.
 *
 * @throws WriteFailed if all attempts were in vain, or if an answer was lost and nothing shows whether the edits were made
 */
export async function write(begun: Writing, edits: readonly Edit[]): Promise<Outcome> {
  const { registry, quotas, validityMs } = begun
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
      // In the session of the write, a replica may answer that has not seen the write.
      writing = { ...writing, connection: writing.reconnect() }
      const seen = await lookFor(writing, edits, until).catch(unknownOutcome)
      if (seen) {
        return seen
      }
    }
    const { outcome, now } = await explain(writing, conditions)
    if (outcome) {
      return outcome
    }
    if (attempt === maxAttempts) {
      throw new WriteFailed('Nothing was written.')
    }
    skew = now - Date.now()
    await sleep(Math.random() * maxPauseMs)
  }
}

function unknownOutcome(cause: unknown): never {
  throw new WriteFailed('Whether the change was made is not known.', { cause })
}

/**
 * Asks questions in one round trip.
 *
 * @returns the rows of each; the clock of the database, and the outcome if the guard has found an earlier write
 */
async function ask({ connection, guarded }: Writing, questions: readonly Query[]) {
  const first = [db.select({ clock }).from(one), ...(guarded ? [guarded.question] : [])]
  const all = [...first, ...questions].map((query) => query.toSQL())
  const results = await runAll(connection, all)
  const [clocks, keys = []] = results
  const now = Number(clocks?.[0]?.[0])
  return { now, used: guarded?.used(keys), rows: results.slice(first.length) }
}

/** Asks why a write was refused. The outcome is undefined if all its conditions hold now. */
async function explain(writing: Writing, conditions: readonly Condition[]) {
  const questions = conditions.map((each) => questionOf(writing.registry, each))
  const { now, used, rows } = await ask(writing, questions)
  return { now, outcome: used ?? refusalOf(conditions, rows) }
}

function questionOf(registry: Registry, condition: Condition): Query {
  if (condition.kind === 'rows') {
    const { table, id, owner, revision = id } = registry.get(condition.type).stored
    const columns = { id, revision, ...(owner && { owner }) }
    return db.select(columns).from(table).where(among(id, condition.ids))
  }
  return db.select({ holds: expressionOf(registry, condition) }).from(one)
}

/** The refusal of the first condition that does not hold. It has all faults of that edit of the same kind. */
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
 * Finds out whether edits with a lost answer were made, once their batch can do nothing more.
 *
 * @returns undefined if they were surely not made
 * @throws Error if nothing shows it
 */
async function lookFor(
  writing: Writing,
  edits: readonly Edit[],
  until: number,
): Promise<Outcome | undefined> {
  const { connection, registry, cipher, validityMs, guarded } = writing
  const created = new Set(edits.flatMap(({ kind, id }) => (kind === 'create' ? [id] : [])))
  // The last edit of each resource, except of those that are both created and deleted.
  const last = [...new Map(edits.map((edit) => [`${edit.type} ${edit.id}`, edit])).values()]
  const traces = last.filter(({ kind, id }) => kind !== 'delete' || !created.has(id))
  const questions = traces.map((trace) => {
    const { table, id, revision = id } = registry.get(trace.type).stored
    return db.select({ revision }).from(table).where(eq(id, trace.id))
  })
  // On PostgreSQL a COMMIT that arrives later than this meets a session that is ended.
  let wait = validityMs
  for (;;) {
    await sleep(wait + 1)
    const { now, used, rows } = await ask(writing, questions)
    wait = until - now
    if (wait >= 0) {
      continue
    }
    const fates = traces.map((one, at) => fateOf(one, created.has(one.id), rows[at]?.[0]))
    if (guarded || !wasMade(fates)) {
      return used
    }
    const reads = edits.flatMap(({ read }) => read ?? [])
    const found = reads.length > 0 ? readAll(connection, registry, cipher, reads) : []
    return { kind: 'done', found: await found }
  }
}

/** What the stored row of an edit shows. */
function fateOf({ kind, revision, ifMatch }: Edit, isNew: boolean, row?: Rows[number]) {
  if (kind === 'delete') {
    return row ? 'not made' : 'gone'
  }
  if (row && (isNew || row[0] === revision)) {
    return 'made'
  }
  return isNew || ifMatch?.includes(String(row?.[0])) ? 'not made' : 'unknown'
}

/**
 * Were the edits made? All were, or none. Yes if a row has their revision, a new row exists, or all rows were to be deleted and are
 * gone. No if a new row is missing, a row to delete exists, or a row still has an expected revision.
 *
 * @throws Error if nothing shows it
 */
function wasMade(fates: readonly ReturnType<typeof fateOf>[]): boolean {
  if (fates.includes('made')) {
    return true
  }
  if (fates.includes('not made')) {
    return false
  }
  if (fates.includes('gone') && !fates.includes('unknown')) {
    return true
  }
  throw new Error('Nothing shows whether the write was made')
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
