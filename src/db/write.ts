import { eq, type SQL, sql } from 'drizzle-orm'
import {
  applyBatch,
  type Connection,
  clock,
  failureOf,
  type Query,
  type Rows,
  selectAll,
} from '#engine'
import type { Registry } from '../jsonapi/declare/registry.ts'
import type { Edit, Found, Outcome } from '../jsonapi/run/store.ts'
import {
  countingOf,
  expressionOf,
  locksOf,
  type SealedEdit,
  sealEdit,
  statementsOf,
} from './apply.ts'
import type { Cipher } from './cipher.ts'
import { type Condition, conditionsOf, type Quotas } from './conditions.ts'
import { questionOf, refusalOf } from './explain.ts'
import { planOf } from './read.ts'

/** What lets a write be made once: see `onceFor`. */
export interface Once {
  /** Holds where the write has not been made yet. */
  readonly condition: SQL
  /** Run in the transaction of the write, before its edits. */
  readonly statements: readonly Query[]
  /** Asks for the earlier write. */
  readonly question: Query
  /** The outcome where there was an earlier write, from the answer to the question. */
  readonly used: (rows: Rows) => Extract<Outcome, { kind: 'used' }> | undefined
}

/** What a write takes to run. */
export interface Writing {
  readonly connection: Connection
  readonly registry: Registry
  readonly cipher: Cipher
  readonly quotas: Quotas
  /** A batch that arrives later than these milliseconds does nothing. */
  readonly validityMs: number
  readonly once?: Once | undefined
}

/** How often a write is sent where something has changed between the question and the batch. */
const maxAttempts = 5

/** The longest pause before a write is sent again, in milliseconds. */
const maxPauseMs = 200

/** Others have changed what a write needs each time that it was sent. Nothing is written. */
export class Crowded extends Error {
  override readonly name = 'Crowded'
}

/** The answer to a write was lost, and nothing shows whether it was made. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome'
}

/**
 * Makes all edits or none of them: applies them under their conditions, and asks for the reason only where that was refused.
 *
 * @throws Crowded after five attempts in which all conditions hold when they are asked for, and not when they are needed
 * @throws UnknownOutcome where the answer was lost, and nothing shows whether the edits were made
 */
export async function write(writing: Writing, edits: readonly Edit[]): Promise<Outcome> {
  const { connection, registry, cipher, quotas, validityMs } = writing
  const sealed = await Promise.all(edits.map((edit) => sealEdit(registry, cipher, edit)))
  const conditions = conditionsOf(registry, quotas, edits)
  const isHopeless = conditions.some(({ kind }) => kind === 'never')
  let skew = 0
  for (let attempt = 1; ; attempt++) {
    connection.usage.attempts = attempt
    const until = Date.now() + skew + validityMs
    try {
      if (!isHopeless) {
        return await apply(writing, sealed, conditions, until)
      }
    } catch (error) {
      const failure = failureOf(error)
      if (failure === 'unknown') {
        unknownOutcome(error)
      }
      if (failure === 'failed') {
        throw error
      }
      if (failure === 'lost') {
        const outcome = await lookFor(writing, sealed, until).catch(unknownOutcome)
        if (outcome) {
          return outcome
        }
      }
    }
    const answer = await explain(writing, conditions)
    if (answer.outcome) {
      return answer.outcome
    }
    if (attempt === maxAttempts) {
      throw new Crowded(`A write was refused ${maxAttempts} times, and nothing shows why`)
    }
    skew = answer.now - Date.now()
    await sleep(Math.random() * maxPauseMs)
  }
}

/** Sends all edits as one batch. */
async function apply(
  { connection, registry, cipher, once }: Writing,
  edits: readonly SealedEdit[],
  conditions: readonly Condition[],
  until: number,
): Promise<Outcome> {
  const { db } = connection
  const statements: Query[] = [...(once?.statements ?? [])]
  const decoders: ((results: readonly Rows[]) => Promise<Found>)[] = []
  for (const edit of edits) {
    statements.push(...statementsOf(db, registry.get(edit.type), edit))
    if (edit.change.kind === 'create') {
      const { queries, decode } = planOf(db, registry, cipher, edit.change.read)
      const start = statements.length
      statements.push(...queries)
      decoders.push((results) => decode(results.slice(start, start + queries.length)))
    }
  }
  statements.push(...countingOf(db, registry, edits))
  const results = await applyBatch(connection, {
    locks: locksOf(registry, edits),
    conditions: [
      ...(once ? [once.condition] : []),
      ...conditions.map((condition) => expressionOf(db, registry, condition)),
    ],
    until,
    statements,
  })
  return { kind: 'done', found: await Promise.all(decoders.map((decode) => decode(results))) }
}

/** Asks why a write was refused. There is no outcome where all its conditions hold now. `now` is the clock of the database. */
async function explain(
  { connection: { db, call }, registry, quotas, once }: Writing,
  conditions: readonly Condition[],
): Promise<{ readonly outcome: Outcome | undefined; readonly now: number }> {
  const questions = conditions.map((condition) => questionOf(db, registry, condition))
  const first = [timeOf(db), ...(once ? [once.question] : [])]
  const answers = await call(() => selectAll(db, [...first, ...questions]))
  const [time, stored = []] = answers
  const used = once?.used(stored)
  return {
    outcome: used ?? refusalOf(quotas, conditions, answers.slice(first.length)),
    now: Number(time?.[0]?.now),
  }
}

/** Asks for the clock of the database. */
function timeOf(db: Connection['db']): Query {
  return db.select({ now: clock.as('now') }).from(sql`(select 1) as one`)
}

/**
 * Looks whether edits were made whose answer was lost, once their batch can do nothing any more.
 *
 * @returns undefined where they were surely not made
 * @throws Error where nothing shows whether they were made
 */
async function lookFor(
  writing: Writing,
  edits: readonly SealedEdit[],
  until: number,
): Promise<Outcome | undefined> {
  const { connection, registry, cipher, validityMs, once } = writing
  const { db, call } = connection
  const traced = edits.filter((edit) => leavesTrace(edit, edits))
  const creates = edits.flatMap(({ change }) =>
    change.kind === 'create' ? [planOf(db, registry, cipher, change.read)] : [],
  )
  const first = [timeOf(db), ...(once ? [once.question] : [])]
  const traces = traced.map((edit) => traceOf(db, registry, edit))
  const readings = creates.flatMap(({ queries }) => queries)
  // On PostgreSQL a COMMIT that arrives later than this meets a session that is ended.
  let wait = validityMs
  for (;;) {
    await sleep(wait + 1)
    const answers = await call(() => selectAll(db, [...first, ...traces, ...readings]))
    const [time, stored = []] = answers
    wait = until - Number(time?.[0]?.now)
    if (wait < 0) {
      if (once) {
        return once.used(stored)
      }
      const rows = answers.slice(first.length, first.length + traced.length)
      const fate = fateOf(traced, rows)
      if (fate === 'unknown') {
        throw new Error('Nothing shows whether the write was made')
      }
      const results = answers.slice(first.length + traced.length)
      let start = 0
      const found = creates.map(({ queries, decode }) => {
        start += queries.length
        return decode(results.slice(start - queries.length, start))
      })
      return fate === 'made' ? { kind: 'done', found: await Promise.all(found) } : undefined
    }
  }
}

function unknownOutcome(cause: unknown): never {
  throw new UnknownOutcome('The answer to a write was lost', { cause })
}

/** Only the last edit of a resource leaves a trace, and none does of a resource that is created and deleted. */
function leavesTrace(edit: Edit, edits: readonly Edit[]): boolean {
  const same = edits.filter(
    ({ type, change }) => type === edit.type && change.id === edit.change.id,
  )
  const isPassing = same[0]?.change.kind === 'create' && edit.change.kind === 'delete'
  return edit === same.at(-1) && !isPassing
}

/** Asks for the row that an edit has made, changed or deleted. */
function traceOf(db: Connection['db'], registry: Registry, { type, change }: Edit): Query {
  const { table, id, revision = id } = registry.get(type).stored
  return db.select({ revision }).from(table).where(eq(id, change.id))
}

/**
 * Were edits made, of which all or none are? A row with their revision, a new row, or that all deleted rows are gone shows that they
 * were; a missing new row, a row that should be gone, or an expected revision that is still there shows that they were not.
 */
function fateOf(edits: readonly Edit[], rows: readonly Rows[]): 'made' | 'notMade' | 'unknown' {
  const fates = edits.map(({ change: { kind }, revision, expected }, index) => {
    const [row] = rows[index] ?? []
    if (kind === 'delete') {
      return row ? 'notMade' : 'gone'
    }
    if (row?.revision === revision || (kind === 'create' && row)) {
      return 'made'
    }
    return kind === 'create' || expected?.includes(String(row?.revision)) ? 'notMade' : 'unknown'
  })
  const isGone = fates.length > 0 && fates.every((fate) => fate === 'gone')
  return fates.includes('made') || isGone
    ? 'made'
    : fates.includes('notMade')
      ? 'notMade'
      : 'unknown'
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
