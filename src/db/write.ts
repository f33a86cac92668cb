import type { IdempotencyKey } from '../jsonapi/run/idempotency.ts'
import type { Edit, Found, Outcome, Refusal } from '../jsonapi/run/store.ts'
import type { Connection } from './connection.ts'
import { inTurn } from './earlier.ts'
import { type Binding, type BoundEdit, bindEdit } from './edit.ts'
import type { ColumnValues } from './edit-sql.ts'
import { keyStatement, usedOf } from './keys-sql.ts'
import { refusalOf } from './refused.ts'
import { failureOf, isRefusal, retrying, UnknownOutcome, violatesForeignKey } from './retry.ts'
import type { Bound } from './statement.ts'

/** What a write takes to run. */
export interface Writing extends Binding {
  readonly run: Connection
}

/**
 * Makes all edits or none of them in one batch, which is one transaction (contract, sections 9 and 13). The statements and the
 * constraints themselves decide whether the writer owns a resource, which revision it has, whether targets exist, and whether
 * unique values are free.
 *
 * The statements of a single edit are first sent without a probe: where they cannot make the edit, they do nothing or fail.
 * Only then are they sent again behind a probe, which fails with the reason. When there are several edits, the probes of all of
 * them come first, so that a transaction which is refused has changed nothing that would have to be undone: an edit can remove
 * thousands of members at the price of one. Each edit then has its probe once more before its statements, which sees what the
 * earlier ones have really changed.
 *
 * Ids, revisions and sealed values are the same in each attempt (contract, section 14).
 *
 * @param key is stored by the first statement of the transaction; a key that is used ends it before any edit is judged
 * @throws UnknownOutcome when the answer to an attempt was lost, and nothing shows whether it was carried out
 */
export async function writeEdits(
  writing: Writing,
  edits: readonly [Edit, ...Edit[]],
  key?: IdempotencyKey,
): Promise<Outcome> {
  const bound: BoundEdit[] = []
  const isOne = edits.length === 1
  const earlier = inTurn(writing.registry)
  for (const [at, edit] of edits.entries()) {
    const before = isOne ? undefined : (values: ColumnValues) => earlier(edit, values)
    bound.push(await bindEdit(writing, edit, at, before))
  }
  const keyed = key ? [keyStatement(key, createdBy(edits))] : []
  const [only] = isOne ? bound : []
  // With a key, only a create can go without a probe: its statements fail where it cannot be made. Those of another edit may
  // do nothing instead, and the key would stay stored. The probe alone judges how many members name what is deleted.
  const plain =
    (key && only?.change.kind !== 'create') || only?.isBounded === true ? undefined : only
  return retrying(async (attempt) => {
    try {
      const first = plain
        ? await sentPlain(writing, keyed, plain)
        : await sentProbed(writing, keyed, bound)
      if (first?.kind === 'done') {
        return first
      }
      // With a key, the stored key tells that an earlier attempt was carried out.
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

/** The ids of the resources that edits create, in the order of the edits. */
function createdBy(edits: readonly Edit[]): string[] {
  return edits.flatMap(({ change }) => (change.kind === 'create' ? [change.id] : []))
}

/** How an attempt ended: with an outcome, or with an error of D1 that no edit explains. */
type Ended = Outcome | { readonly kind: 'failed'; readonly error: unknown }

/** @throws the error of D1 that no edit explains */
function settled(ended: Ended): Outcome {
  if (ended.kind === 'failed') {
    throw ended.error
  }
  return ended
}

/**
 * Sends the statements of a single edit without a probe, after the statement of the key. Undefined where the edit cannot be
 * made; nothing is written then.
 */
async function sentPlain(
  { run }: Writing,
  keyed: readonly Bound[],
  plain: BoundEdit,
): Promise<Outcome | undefined> {
  const { change, reading } = plain
  try {
    const results = await run([...keyed, ...making(plain)])
    // Of the statements of an edit, the claim alone returns a row.
    const isClaimed = change.kind === 'create' || results.some(({ length }) => length > 0)
    if (!isClaimed) {
      return undefined
    }
    return { kind: 'done', found: reading ? [await reading.decode(results.at(-1) ?? [])] : [] }
  } catch (error) {
    if (isRefusal(error)) {
      return undefined
    }
    throw error
  }
}

/** Sends the statements of edits, each edit behind its probe, and all of them after the statement of the key. */
async function sentProbed(
  writing: Writing,
  keyed: readonly Bound[],
  edits: readonly BoundEdit[],
): Promise<Ended> {
  try {
    const judged = edits.map(({ probe }) => probe())
    const made = edits.map((edit) => [
      ...(edits.length > 1 ? [edit.probe(true)] : []),
      ...making(edit),
    ])
    const results = await writing.run([...keyed, ...judged, ...made.flat()])
    let end = keyed.length + judged.length
    const found: Found[] = []
    for (const [at, edit] of edits.entries()) {
      end += made[at]?.length ?? 0
      if (edit.reading) {
        found.push(await edit.reading.decode(results[end - 1] ?? []))
      }
    }
    return { kind: 'done', found }
  } catch (error) {
    if (!isRefusal(error)) {
      throw error
    }
    return refusalBehind(writing, edits, error) ?? { kind: 'failed', error }
  }
}

/** The statements that make an edit, and read what it has made. */
function making({ statements, reading }: BoundEdit): Bound[] {
  return [...statements, ...(reading ? [reading] : [])]
}

/** The refusal of edits that were sent behind probes; undefined where the error is none that a request can cause. */
function refusalBehind(
  { quotas }: Writing,
  edits: readonly BoundEdit[],
  error: unknown,
): Refusal | undefined {
  const failure = failureOf(error)
  if (failure) {
    const at = edits.findIndex(({ name }) => name === failure.name)
    const edit = edits[at]
    return edit && refusalOf(failure, edit, at, quotas)
  }
  // The probes have found all targets of linkage, so that the foreign key is one of rows that need a deleted resource, and that no
  // to-one relationship stands for.
  const at = violatesForeignKey(error)
    ? edits.findLastIndex(({ change }) => change.kind === 'delete')
    : -1
  return at < 0 ? undefined : { kind: 'needed', at }
}

/**
 * Finds the work of an earlier attempt whose answer was lost: a resource with an id that only these edits create, or with a
 * revision that only they set. Where all edits are deletes, it is found when all resources are gone.
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

/**
 * The end of a repeated attempt.
 *
 * @throws UnknownOutcome where a resource does not have an expected revision: an earlier attempt may have changed it
 */
function surelyRefused(ended: Ended, edits: readonly BoundEdit[]): Ended {
  const isMoved = ended.kind === 'stale' || ended.kind === 'absent'
  if (isMoved && edits[ended.at]?.isConditional) {
    throw new UnknownOutcome(
      'A write was sent again after its answer was lost, and found another revision than it expected',
    )
  }
  return ended
}
