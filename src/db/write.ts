import type { IdempotencyKey } from '../jsonapi/run/idempotency.ts'
import type { Edit, Found, Outcome, Refusal } from '../jsonapi/run/store.ts'
import type { Connection, Row } from './connection.ts'
import { type Binding, type BoundEdit, bindEdit } from './edit.ts'
import { keyStatement, usedOf } from './keys-sql.ts'
import { undoStatement } from './probe-sql.ts'
import { refusalOf } from './refused.ts'
import {
  failureOf,
  retrying,
  UnknownOutcome,
  violatesConstraint,
  violatesForeignKey,
} from './retry.ts'
import { type Bound, bind } from './statement.ts'

/** What a write runs on. */
export interface Writing extends Binding {
  readonly run: Connection
}

/**
 * Makes all edits or none in one batch, which is one transaction (contract, sections 9 and 13). Whoever owns a resource,
 * which revision it has, whether targets exist and values are free is judged by statements and constraints themselves.
 *
 * The statements of a single edit are sent alone: they do nothing, or fail, where they cannot do all. Only then are they
 * sent again behind a probe, which tells why. Of several edits each has its probe from the start, so that the transaction
 * ends with the first one that cannot be done.
 *
 * Ids, revisions and sealed values are the same in each attempt (section 14).
 *
 * @param key stored in the same transaction, by its first statement: a key that is used ends it before an edit is judged
 * @throws UnknownOutcome when the answer to an attempt was lost, and nothing shows whether it was carried out
 */
export async function writeEdits(
  writing: Writing,
  edits: readonly [Edit, ...Edit[]],
  key?: IdempotencyKey,
): Promise<Outcome> {
  const bound = await Promise.all(edits.map((edit, at) => bindEdit(writing, edit, at)))
  const keyed = key ? [keyStatement(key, createdBy(edits))] : []
  const [only] = bound.length === 1 ? bound : []
  // The statements of a create fail where they cannot do all. Those of other edits may do nothing, and the key would stay.
  const plain = key && only?.change.kind !== 'create' ? undefined : only
  return retrying(async (attempt) => {
    try {
      const first = plain
        ? await sentPlain(writing, keyed, plain)
        : await sentProbed(writing, keyed, bound)
      if (first?.kind === 'done') {
        return first
      }
      // With a key the work of an earlier attempt is known by the key.
      const earlier = attempt > 1 && !key ? await earlierWork(writing, bound) : undefined
      if (earlier) {
        return earlier
      }
      const ended = first ?? (await sentProbed(writing, keyed, bound))
      return settled(attempt > 1 ? surelyRefused(ended, bound) : ended)
    } catch (error) {
      const used = usedOf(error)
      if (used) {
        return used
      }
      throw error
    }
  })
}

/** The ids of what edits create, in their order. */
function createdBy(edits: readonly Edit[]): string[] {
  return edits.flatMap(({ change }) => (change.kind === 'create' ? [change.id] : []))
}

/** How an attempt ended: as an outcome, or with an error of D1 that no edit explains. */
type Ended = Outcome | { readonly kind: 'failed'; readonly error: unknown }

/** @throws the error that no edit explains */
function settled(ended: Ended): Outcome {
  if (ended.kind === 'failed') {
    throw ended.error
  }
  return ended
}

/** Sends the statements of a single edit alone, behind that of a key; undefined where they could not do all of it, and so did nothing. */
async function sentPlain(
  { run }: Writing,
  keyed: readonly Bound[],
  { change, statements, reading }: BoundEdit,
): Promise<Outcome | undefined> {
  try {
    const results = await run([...keyed, ...statements, ...(reading ? [reading] : [])])
    const isClaimed = change.kind === 'create' || results[keyed.length]?.length !== 0
    return isClaimed ? { kind: 'done', found: await decoded(reading, results.at(-1)) } : undefined
  } catch (error) {
    if (isRefusal(error)) {
      return undefined
    }
    throw error
  }
}

/** Sends the statements of edits, each edit behind its probe, and all of them behind that of a key. */
async function sentProbed(
  writing: Writing,
  keyed: readonly Bound[],
  edits: readonly BoundEdit[],
): Promise<Ended> {
  try {
    const results = await writing.run([...keyed, ...edits.flatMap(probed)])
    let end = keyed.length
    const found: Found[] = []
    for (const edit of edits) {
      end += probed(edit).length
      found.push(...(await decoded(edit.reading, results[end - 1])))
    }
    return { kind: 'done', found }
  } catch (error) {
    if (!isRefusal(error)) {
      throw error
    }
    return (await refusalBehind(writing, edits, error)) ?? { kind: 'failed', error }
  }
}

function probed({ probe, statements, reading }: BoundEdit): Bound[] {
  return [probe(), ...statements, ...(reading ? [reading] : [])]
}

async function decoded(
  reading: BoundEdit['reading'],
  rows: readonly Row[] = [],
): Promise<readonly Found[]> {
  return reading ? [await reading.decode(rows)] : []
}

/** Has a statement of an edit failed by itself, so that nothing was written? */
function isRefusal(error: unknown): boolean {
  return failureOf(error) !== undefined || violatesConstraint(error)
}

/** What edits behind probes were refused for; undefined where no request can cause it. */
async function refusalBehind(
  writing: Writing,
  edits: readonly BoundEdit[],
  error: unknown,
): Promise<Refusal | undefined> {
  const failure = failureOf(error)
  if (failure) {
    const at = edits.findIndex(({ name }) => name === failure.name)
    const edit = edits[at]
    return edit && refusalOf(failure, edit, at, writing.quotas)
  }
  // The targets of linkage exist, as the probes have found: others point to what was to be deleted.
  const at = violatesForeignKey(error) ? await neededAt(writing, edits) : -1
  return at < 0 ? undefined : { kind: 'needed', at }
}

/**
 * The index of the delete that a foreign key refuses; -1 where there is no delete. Only where there are several, the batch
 * is tried up to each of them but the last, and undone.
 */
async function neededAt({ run }: Writing, edits: readonly BoundEdit[]): Promise<number> {
  const deletes = edits.flatMap(({ change }, at) => (change.kind === 'delete' ? [at] : []))
  for (const at of deletes.slice(0, -1)) {
    const tried = edits.slice(0, at + 1).flatMap(probed)
    const failed = await run([...tried, bind(undoStatement, { name: 'all' })]).catch(
      (error) => error,
    )
    if (violatesForeignKey(failed)) {
      return at
    }
  }
  return deletes.at(-1) ?? -1
}

/**
 * Finds the work of an earlier attempt whose answer was lost: a resource that only these edits can have made, or one with
 * a revision that only they set. Deletes show nothing but that the resources are gone.
 */
async function earlierWork(
  { run }: Writing,
  edits: readonly BoundEdit[],
): Promise<Outcome | undefined> {
  const readings = edits.flatMap(({ reading }) => (reading ? [reading] : []))
  const tracing = edits.filter((edit) => leavesTrace(edit, edits))
  const results = await run([...tracing.map(({ standing }) => standing()), ...readings])
  const traces = tracing.map(({ change, revision }, index): 'done' | 'gone' | 'nothing' => {
    const standing = results[index]?.[0]?.[0]
    if (change.kind === 'delete') {
      return standing === undefined ? 'gone' : 'nothing'
    }
    const isOwn = change.kind === 'create' ? standing !== undefined : standing === revision
    return isOwn ? 'done' : 'nothing'
  })
  const isGone = traces.length > 0 && traces.every((trace) => trace === 'gone')
  if (!traces.includes('done') && !isGone) {
    return undefined
  }
  const found = await Promise.all(
    readings.map((reading, index) => reading.decode(results[tracing.length + index] ?? [])),
  )
  return { kind: 'done', found }
}

/** Only the last edit of a resource leaves a trace, and none does of a resource that is created and deleted. */
function leavesTrace(edit: BoundEdit, edits: readonly BoundEdit[]): boolean {
  const same = edits.filter(
    ({ type, change }) => type === edit.type && change.id === edit.change.id,
  )
  const isPassing = same[0]?.change.kind === 'create' && edit.change.kind === 'delete'
  return edit === same.at(-1) && !isPassing
}

/** @throws UnknownOutcome where a resource has no expected revision, which an earlier attempt may have changed itself */
function surelyRefused(ended: Ended, edits: readonly BoundEdit[]): Ended {
  const isMoved = ended.kind === 'stale' || ended.kind === 'absent'
  if (isMoved && edits[ended.at]?.isConditional) {
    throw new UnknownOutcome(
      'A write was sent again after its answer was lost, and found another revision than it expected',
    )
  }
  return ended
}
