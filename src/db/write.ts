import { eq } from 'drizzle-orm'
import { applyBatch, failureOf, type Rows } from '#engine'
import type { Edit, Outcome } from '../jsonapi/run/port.ts'
import { batchOf, sealEdit, type Writing } from './apply.ts'
import { conditionsOf } from './conditions.ts'
import { ask, explain } from './explain.ts'
import { readAll } from './read.ts'

/** How often a write is sent where something has changed between the question and the batch. */
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
 * @throws WriteFailed if other writes were faster five times, or if the answer was lost and nothing shows whether the edits were made
 */
export async function write(writing: Writing, edits: readonly Edit[]): Promise<Outcome> {
  const { connection, registry, quotas, validityMs } = writing
  const sealed = await Promise.all(edits.map((edit) => sealEdit(writing, edit)))
  const conditions = [...conditionsOf(registry, quotas, edits)]
  let skew = 0
  for (let attempt = 1; ; attempt++) {
    connection.usage.attempts = attempt
    const until = Date.now() + skew + validityMs
    const { batch, foundIn } = batchOf(writing, sealed, conditions, until)
    let results: readonly Rows[] | undefined
    try {
      results = await applyBatch(connection, batch)
    } catch (error) {
      const failure = failureOf(error)
      if (failure === 'failed') {
        throw error
      }
      if (failure === 'unknown') {
        unknownOutcome(error)
      }
      const outcome =
        failure === 'lost' && (await lookFor(writing, edits, until).catch(unknownOutcome))
      if (outcome) {
        return outcome
      }
    }
    if (results) {
      return { kind: 'done', found: await foundIn(results).catch(unknownOutcome) }
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
 * Looks whether edits were made whose answer was lost, once their batch can do nothing any more.
 *
 * @returns undefined where they were surely not made
 * @throws Error where nothing shows it
 */
async function lookFor(
  writing: Writing,
  edits: readonly Edit[],
  until: number,
): Promise<Outcome | undefined> {
  const { reconnect, registry, cipher, validityMs, guarded } = writing
  // The session of the write may be answered by a replica that has not seen what the write has done.
  const connection = reconnect()
  const traces = tracesOf(edits)
  const questions = traces.map((trace) => {
    const { table, id, revision = id } = registry.get(trace.type).stored
    return connection.db.select({ revision }).from(table).where(eq(id, trace.id))
  })
  // On PostgreSQL a COMMIT that arrives later than this meets a session that is ended.
  let wait = validityMs
  for (;;) {
    await sleep(wait + 1)
    const { now, used, rows } = await ask({ ...writing, connection }, questions)
    wait = until - now
    if (wait >= 0) {
      continue
    }
    if (guarded || !wasMade(traces, rows)) {
      return used
    }
    const reads = edits.flatMap(({ read }) => read ?? [])
    const found = reads.length > 0 ? readAll(connection, registry, cipher, reads) : []
    return { kind: 'done', found: await found }
  }
}

/** The last edit of each resource, but for those that the edits both create and delete. */
function tracesOf(edits: readonly Edit[]): (Edit & { readonly isNew: boolean })[] {
  const last = new Map(edits.map((edit) => [`${edit.type} ${edit.id}`, edit]))
  const created = new Set(edits.flatMap(({ kind, id }) => (kind === 'create' ? [id] : [])))
  const traces = [...last.values()].map((edit) => ({ ...edit, isNew: created.has(edit.id) }))
  return traces.filter(({ kind, isNew }) => kind !== 'delete' || !isNew)
}

/**
 * Were edits made, of which all or none are? A row with their revision, a new row, or that all deleted rows are gone shows that they
 * were; a missing new row, a row that should be gone, or an expected revision that is still there shows that they were not.
 */
function wasMade(traces: ReturnType<typeof tracesOf>, answers: readonly Rows[]): boolean {
  const fates = traces.map(({ kind, isNew, revision, ifMatch }, index) => {
    const [row] = answers[index] ?? []
    if (kind === 'delete') {
      return row ? 'not made' : 'gone'
    }
    if (row?.revision === revision || (row && isNew)) {
      return 'made'
    }
    return isNew || ifMatch?.includes(String(row?.revision)) ? 'not made' : 'unknown'
  })
  const areGone = fates.length > 0 && fates.every((fate) => fate === 'gone')
  if (fates.includes('made') || areGone) {
    return true
  }
  if (fates.includes('not made')) {
    return false
  }
  throw new Error('Nothing shows whether the write was made')
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
