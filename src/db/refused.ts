import type { Identifier } from '../jsonapi/document.ts'
import type { Change, Edit, Refusal } from '../jsonapi/run/store.ts'
import type { Failure } from './retry.ts'

/** The quotas (contract, section 15). */
export interface Quotas {
  /** The most resources of one type that one person may own. */
  readonly owned: number
  /** The most members of one to-many relationship. */
  readonly members: number
}

/**
 * The refusal of an edit, from the reason and the detail that `fail` in `edit-sql.ts` has put into a failure.
 *
 * @param at the index of the edit among the edits of the write
 * @throws Error for a reason that no statement of an edit has, which is a mistake in the program and never the caller's
 */
export function refusalOf(
  { reason, detail }: Failure,
  { change }: Pick<Edit, 'change'>,
  at: number,
  quotas: Quotas,
): Refusal {
  const items = detail.split(';').filter((item) => item !== '')
  switch (reason) {
    case 'absent':
    case 'foreign':
    case 'stale':
    case 'needed':
      return { kind: reason, at }
    case 'unshown':
      return { kind: reason, at, relationships: items }
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

/** The identifiers that a change holds, by relationship. */
export function linkageOf(change: Change): Readonly<Record<string, readonly Identifier[]>> {
  return 'relationships' in change
    ? change.relationships
    : 'members' in change
      ? { [change.relationship]: change.members }
      : {}
}
