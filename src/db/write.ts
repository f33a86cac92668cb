import type { IdempotencyKey } from '../jsonapi/run/idempotency.ts'
import type { Change, Edit, Found, Outcome, Refusal, Usage } from '../jsonapi/run/store.ts'
import type { Connection } from './connection.ts'
import { linkageOf } from './earlier.ts'
import type { BoundEdit, Quotas } from './edit.ts'
import { keyStatement, usedOf } from './keys.ts'
import { type Failure, failureOf, isRefusal, retrying, UnknownOutcome } from './retry.ts'
import type { Bound } from './statement.ts'

/** What a write takes to run. */
export interface Writing {
  readonly run: Connection
  /** Is told what was undone, and how many attempts the write took. */
  readonly usage: Usage
  readonly bindEdits: (edits: readonly Edit[]) => Promise<BoundEdit[]>
  readonly quotas: Quotas
}

/**
 * Makes all edits or none of them in one batch, which is one transaction (contract, sections 9 and 13). The statements and the
 * constraints themselves decide whether the writer owns a resource, which revision it has, whether targets exist, and whether
 * unique values are free.
 *
 * The statements of a single edit are first sent without a probe: where they cannot make the edit, they do nothing or fail.
 * Only then are they sent again behind a probe, which fails with the reason. When there are several edits, the probes of all of
 * them come first, so that a transaction which is refused has changed nothing that would have to be undone: an edit can remove
 * thousands of members at the price of one. An edit behind a delete, or with expected revisions, then has its probe once more before
 * its statements, which sees what the earlier ones have really changed.
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
  const bound = await writing.bindEdits(edits)
  const keyed = key ? [keyStatement(key, createdBy(edits))] : []
  const isPlain = edits.length === 1 && isSelfJudging(edits[0], key)
  return retrying(writing.usage, async (isUnsure) => {
    const first = await send(writing, keyed, bound, !isPlain)
    if (first.kind === 'done' || first.kind === 'used') {
      return first
    }
    // With a key, the stored key tells that an earlier attempt was carried out.
    const earlier = isUnsure && !key ? await earlierWork(writing, bound) : undefined
    if (earlier) {
      return earlier
    }
    // Sent without a probe, or (on PostgreSQL) a write at the same time has taken what the probe found free: a probe now tells.
    const ended = first.kind === 'failed' ? await send(writing, keyed, bound, true) : first
    if (ended.kind === 'failed') {
      throw ended.error
    }
    return isUnsure && !key ? surelyRefused(ended, edits) : ended
  })
}

/** The ids of the resources that edits create, in the order of the edits. */
function createdBy(edits: readonly Edit[]): string[] {
  return edits.flatMap(({ change }) => (change.kind === 'create' ? [change.id] : []))
}

/**
 * Do the statements of a single edit show by themselves whether it can be made? With a key, only those of a create do, because
 * they fail where it cannot be made; those of another edit may do nothing instead, and the key would stay stored. The probe alone
 * judges how many members name what is deleted.
 */
function isSelfJudging({ change }: Edit, key: IdempotencyKey | undefined): boolean {
  const isBounded = change.kind === 'delete' && change.mostLinks !== undefined
  return !isBounded && (key === undefined || change.kind === 'create')
}

/** How an attempt ended. `failed`: nothing was written, and no edit tells why. `error`: that of the database, if there was one. */
type Ended = Outcome | { readonly kind: 'failed'; readonly error?: unknown }

/**
 * Sends the statements of edits, all of them after the statement of the key.
 *
 * @param isProbed is each edit sent behind its probe? Else there is one edit, and where it cannot be made, the end is `failed`
 */
async function send(
  writing: Writing,
  keyed: readonly Bound[],
  edits: readonly BoundEdit[],
  isProbed: boolean,
): Promise<Ended> {
  const probes = isProbed ? edits.map(({ probe }) => probe()) : []
  const making = edits.map(({ lateProbe, statements, reading }) => [
    ...(lateProbe ? [lateProbe] : []),
    ...statements,
    ...(reading ? [reading] : []),
  ])
  const statements = [...keyed, ...probes, ...making.flat()]
  const start = Date.now()
  try {
    const results = await writing.run(statements)
    // Only a claim, a reading and a probe return a row.
    if (results.every(({ length }) => length === 0)) {
      return { kind: 'failed' }
    }
    let end = keyed.length + probes.length
    const found: Found[] = []
    for (const [at, { reading }] of edits.entries()) {
      end += making[at]?.length ?? 0
      if (reading) {
        found.push(await reading.decode(results[end - 1] ?? []))
      }
    }
    return { kind: 'done', found }
  } catch (error) {
    const used = usedOf(error)
    if (used) {
      return used
    }
    if (!isRefusal(error)) {
      throw error
    }
    // Databases do not tell what statements have cost that they have undone.
    writing.usage.undone += statements.length
    writing.usage.undoneMs += Date.now() - start
    return (isProbed && refusalBehind(writing, edits, error)) || { kind: 'failed', error }
  }
}

/** The refusal of edits that were sent behind probes; undefined where the error is none that a request can cause. */
function refusalBehind(
  { quotas }: Writing,
  edits: readonly BoundEdit[],
  error: unknown,
): Refusal | undefined {
  const failure = failureOf(error)
  const edit = failure && edits[failure.at]
  return edit && refusalOf(failure, edit.change, quotas)
}

/**
 * The refusal of a change, from the failure of its probe or its statements.
 *
 * @throws Error for a reason that no statement of an edit has, which is a mistake in the program and never the caller's
 */
function refusalOf({ at, reason, detail }: Failure, change: Change, quotas: Quotas): Refusal {
  const items = detail.split(';').filter((item) => item !== '')
  switch (reason) {
    case 'absent':
    case 'foreign':
    case 'stale':
      return { kind: reason, at }
    case 'dangling':
      return { kind: reason, at, targets: items.flatMap((item) => targetsOf(item, change)) }
    case 'taken':
      return { kind: reason, at, attributes: items }
    case 'linked':
      return { kind: reason, at, most: ('mostLinks' in change && change.mostLinks) || 0 }
    case 'full':
      return detail === ''
        ? { kind: reason, at, most: quotas.owned }
        : { kind: reason, at, relationship: detail, most: quotas.members }
    default:
      throw new Error(`No edit fails as ${reason}`)
  }
}

/** The distinct targets that an item like `authors 0,3` names: a relationship and the indexes of its identifiers. */
function targetsOf(item: string, change: Change): { relationship: string; id: string }[] {
  const [relationship = '', places = ''] = item.split(' ')
  const sent = linkageOf(change)[relationship] ?? []
  const ids = new Set(places.split(',').map((place) => sent[Number(place)]?.id ?? ''))
  return [...ids].map((id) => ({ relationship, id }))
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
  const traces = tracing.map(({ change: { kind }, revision }, index) => {
    const standing = results[index]?.[0]?.[0]
    const isOwn = kind === 'create' ? standing !== undefined : standing === revision
    return {
      isDone: kind !== 'delete' && isOwn,
      isGone: kind === 'delete' && standing === undefined,
    }
  })
  const isGone = traces.length > 0 && traces.every((trace) => trace.isGone)
  if (!isGone && !traces.some(({ isDone }) => isDone)) {
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
 * The outcome of a repeated attempt without a key.
 *
 * @throws UnknownOutcome where an earlier attempt may have made what refuses this one: another revision than is expected, or that a
 * resource is gone which a transaction deletes or needs
 */
function surelyRefused(outcome: Outcome, edits: readonly Edit[]): Outcome {
  if (outcome.kind === 'done' || outcome.kind === 'used') {
    return outcome
  }
  const { kind, at } = outcome
  const isMoved = (kind === 'stale' || kind === 'absent') && edits[at]?.expected
  const deletes = edits.length > 1 && edits.some(({ change }) => change.kind === 'delete')
  const isGone = (kind === 'absent' || kind === 'dangling') && deletes
  if (isMoved || isGone) {
    throw new UnknownOutcome(
      'A write was sent again after its answer was lost, and found what an earlier attempt may have changed or deleted',
    )
  }
  return outcome
}
