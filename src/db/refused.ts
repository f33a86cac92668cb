import type { Identifier } from '../jsonapi/document.ts'
import type { Change, Edit, Refusal } from '../jsonapi/run/store.ts'
import type { Failure } from './retry.ts'

/** How much one person, and one resource, may hold (contract, section 15). */
export interface Quotas {
  /** Resources of one type that one person owns. */
  readonly owned: number
  /** Members of one to-many relationship. */
  readonly members: number
}

/**
 * What a batch says of an edit that it could not do: the reason and the detail are those of `fail` in
 * `edit-sql.ts`.
 *
 * @throws Error for a failure that no statement of an edit has: a mistake of the program, never of a caller
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
      return { kind: reason, at }
    case 'unshown':
      return { kind: reason, at, relationships: items }
    case 'dangling':
      return { kind: reason, at, targets: items.flatMap((item) => targetsOf(item, change)) }
    case 'taken':
      return { kind: reason, at, attributes: items }
    case 'full':
      return detail === ''
        ? { kind: reason, at, most: quotas.owned }
        : { kind: reason, at, relationship: detail, most: quotas.members }
    default:
      throw new Error(`No edit fails as ${reason}`)
  }
}

/** The targets that `relationship 0,3` names by their places, each once. */
function targetsOf(item: string, change: Change): { relationship: string; id: string }[] {
  const [relationship = '', places = ''] = item.split(' ')
  const sent = linkageOf(change)[relationship] ?? []
  const ids = new Set(places.split(',').map((place) => sent[Number(place)]?.id ?? ''))
  return [...ids].map((id) => ({ relationship, id }))
}

/** The identifiers that a change brings, by relationship. */
export function linkageOf(change: Change): Readonly<Record<string, readonly Identifier[]>> {
  return 'relationships' in change
    ? change.relationships
    : 'members' in change
      ? { [change.relationship]: change.members }
      : {}
}

/** The relationships whose targets a change needs. What is removed need not be there. */
export function neededTargets(change: Change): string[] {
  return change.kind === 'remove' ? [] : Object.keys(linkageOf(change))
}
