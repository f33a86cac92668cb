import type { Condition, Draft, DraftMember, DraftOp, DraftWish, Pick } from './drafts.ts'
import type { By, Member, Named, Op, Wish, WriteRequest } from './requests.ts'

/** The id of nobody. */
export const ghost = 'nobody'

/** What drafts stand for at some time. */
export interface Known {
  /** All users that were ever there, in the order in which they came. */
  readonly ids: readonly string[]
  readonly ownerOf: (id: string) => string | undefined
  /** The revisions that a user has had so far, the newest last. */
  readonly revisionsOf: (id: string) => readonly string[]
}

/** A write as it is sent. */
export function requestOf(
  { caller, ops, isTransaction, key, condition }: Extract<Draft, { readonly kind: 'write' }>,
  known: Known,
): WriteRequest {
  const lids: string[] = []
  const resolved: Op[] = []
  for (const draft of ops) {
    resolved.push(opOf(draft, known, lids, isTransaction, resolved.at(-1)))
  }
  const [first] = resolved.flatMap((one) =>
    'user' in one && 'id' in one.user ? [one.user.id] : [],
  )
  const owner = (first === undefined ? undefined : known.ownerOf(first)) ?? 'ann'
  const isCreate = resolved[0]?.kind === 'create'
  return {
    caller: caller === 'owner' ? owner : caller,
    ops: resolved,
    isTransaction,
    // No other write by itself takes a key.
    key: isTransaction || isCreate ? key : undefined,
    ifMatch: isCreate ? undefined : revisionFor(condition, known.revisionsOf(first ?? ghost)),
  }
}

function revisionFor(
  condition: Condition | undefined,
  revisions: readonly string[],
): string | undefined {
  const older = revisions.at(-2) ?? 'never'
  return (
    condition && { newest: revisions.at(-1) ?? 'never', older, none: 'never', any: '*' }[condition]
  )
}

function opOf(
  draft: DraftOp,
  known: Known,
  lids: string[],
  isTransaction: boolean,
  before: Op | undefined,
): Op {
  const { kind, name, required, country } = draft
  const named = (one: Pick): Named => namedBy(one, known, lids)
  if (kind === 'create') {
    const made = { ...wishOf(draft.wish, undefined, named), ...required }
    const lid = isTransaction ? `new ${lids.length}` : undefined
    lids.push(...(lid === undefined ? [] : [lid]))
    return { kind, wish: made, ...(lid !== undefined && { lid }) }
  }
  const user = draft.isSame && before && 'user' in before ? before.user : named(draft.pick)
  const by = byOf(draft, user)
  switch (kind) {
    case 'update':
      return { kind, user, by, wish: wishOf(draft.wish, user, named) }
    case 'delete':
      return { kind, user, by }
    case 'birth':
      return { kind, user, by, country }
    default:
      return { kind, user, by, name, members: membersOf(draft[name], user, named) }
  }
}

/** Only an update may name its target in `data` alone, and a path holds ids. */
function byOf({ kind, by }: DraftOp, user: Named): By {
  return (by === 'data' && kind !== 'update') || (by === 'href' && 'lid' in user) ? 'ref' : by
}

function namedBy({ nth, isNew }: Pick, { ids }: Known, lids: readonly string[]): Named {
  const lid = isNew && nth >= 0 ? lids[nth % Math.max(lids.length, 1)] : undefined
  return lid === undefined
    ? { id: (nth < 0 ? undefined : ids[nth % Math.max(ids.length, 1)]) ?? ghost }
    : { lid }
}

function wishOf(
  { citizenships, relatives, ...rest }: DraftWish,
  user: Named | undefined,
  named: (pick: Pick) => Named,
): Wish {
  return {
    ...rest,
    ...(citizenships && { citizenships: membersOf(citizenships, user, named) }),
    ...(relatives && { relatives: membersOf(relatives, user, named) }),
  }
}

/** Members, each once; nobody is among its own relatives. */
function membersOf(
  drafts: readonly DraftMember[],
  user: Named | undefined,
  named: (pick: Pick) => Named,
): Member[] {
  const members = drafts.map(
    (draft): Member =>
      'country' in draft
        ? { id: draft.country }
        : { ...named(draft.relative), kinship: draft.kinship },
  )
  const keyOf = (one: Named): string => ('id' in one ? `id ${one.id}` : `lid ${one.lid}`)
  const seen = new Set(user ? [keyOf(user)] : [])
  return members.filter((member) => !seen.has(keyOf(member)) && seen.add(keyOf(member)))
}
