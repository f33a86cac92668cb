import { putBounded } from '../../lib/bounded-map.ts'
import type { SortKey } from '../request/query.ts'

/** How many members of a to-many relationship a resource object carries (contract, section 7). */
export const linkageLimit = 20

/** What to fetch of each resource of one type. What the caller may not see is never fetched. */
export interface Selection {
  readonly attributes: readonly string[]
  /** Attributes fetched only of resources that the caller owns. */
  readonly ownAttributes: readonly string[]
  readonly relationships: readonly string[]
}

/** Of a resource, its id. */
export const nothing: Selection = { attributes: [], ownAttributes: [], relationships: [] }

/** A set of resources to read. None names one row, so that a query per row cannot be written. */
export type From =
  | {
      readonly kind: 'page'
      readonly filter: Readonly<Record<string, readonly string[]>>
      readonly sort: readonly SortKey[]
      /** Sort values and id of the row before the page. */
      readonly after: readonly string[] | undefined
      readonly offset: number
      /** Undefined: all. */
      readonly limit: number | undefined
      readonly total: boolean
    }
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  | {
      readonly kind: 'linkage'
      readonly id: string
      readonly relationship: string
      /** The id of the member before the page. */
      readonly after: string | undefined
      readonly limit: number | undefined
    }

/** A set of resources to read, without any value. */
export type FromShape =
  | {
      readonly kind: 'page'
      /** The names of the filters. */
      readonly filter: readonly string[]
      readonly sort: readonly SortKey[]
      /** Does the page begin behind a row, and does it skip rows? */
      readonly after: boolean
      readonly offset: boolean
      readonly total: boolean
    }
  | { readonly kind: 'ids'; readonly many: boolean }
  | { readonly kind: 'linkage'; readonly relationship: string; readonly after: boolean }

/** A relationship whose targets come along in the same round trip, and what to fetch of each of them. */
export interface PlanEdge {
  readonly relationship: string
  /** The type of the targets. */
  readonly target: string
  readonly show: Selection
}

/**
 * What to read, without any value. Two reads of the same form have the same plan, the same object: what a store makes of
 * it is remembered with the plan itself.
 */
export interface ReadPlan {
  readonly type: string
  readonly from: FromShape
  /** What to fetch of each resource of the type; of a linkage's own resource only that it exists. */
  readonly show: Selection
  readonly alongside: readonly PlanEdge[]
  /** How many members of a to-many relationship come with each resource. */
  readonly members: number | 'all'
  /** The plan as a person reads it. */
  toString(): string
}

/** The values of one read. What its plan does not ask for is empty. */
export interface Values {
  /** The person who reads, to tell what is owned; null: nobody who could own anything. */
  readonly viewer: string | null
  readonly ids: readonly string[]
  readonly filter: Readonly<Record<string, readonly string[]>>
  /** Sort values and id of the row before the page. */
  readonly after: readonly string[]
  readonly offset: number
  /** Undefined: all. */
  readonly limit: number | undefined
}

/** A read that has not happened yet. */
export interface Read {
  readonly plan: ReadPlan
  readonly values: Values
}

/** What to read, with its values. */
export interface Asked {
  readonly type: string
  readonly from: From
  readonly show: Selection
  readonly alongside?: readonly PlanEdge[]
  readonly members?: number | 'all'
  readonly viewer: string | null
}

/** Parts what to read from its values. */
export function readOf({
  type,
  from,
  show,
  alongside = [],
  members = linkageLimit,
  viewer,
}: Asked): Read {
  return {
    plan: planOf({ type, from: shapeOf(from), show, alongside, members }),
    values: { ...valuesOf(from), viewer },
  }
}

function shapeOf(from: From): FromShape {
  switch (from.kind) {
    case 'page':
      return {
        kind: 'page',
        filter: Object.keys(from.filter),
        sort: from.sort,
        after: from.after !== undefined,
        offset: from.offset > 0,
        total: from.total,
      }
    case 'ids':
      return { kind: 'ids', many: from.ids.length !== 1 }
    case 'linkage':
      return {
        kind: 'linkage',
        relationship: from.relationship,
        after: from.after !== undefined,
      }
  }
}

function valuesOf(from: From): Omit<Values, 'viewer'> {
  const none = { ids: [], filter: {}, after: [], offset: 0, limit: undefined }
  switch (from.kind) {
    case 'page': {
      const { filter, after = [], offset, limit } = from
      return { ...none, filter, after, offset, limit }
    }
    case 'ids':
      return { ...none, ids: from.ids }
    case 'linkage': {
      const after = from.after === undefined ? [] : [from.after]
      return { ...none, ids: [from.id], after, limit: from.limit }
    }
  }
}

/** Plans are few, but fieldsets combine: the oldest are dropped, and made again. */
const mostPlans = 500

const plans = new Map<string, ReadPlan>()

/** The one plan of this form. */
function planOf(form: Omit<ReadPlan, 'toString'>): ReadPlan {
  // All of the form is in the key, whatever it comes to hold.
  const key = JSON.stringify(form)
  const known = plans.get(key)
  if (known) {
    return known
  }
  const plan: ReadPlan = { ...form, toString: () => textOf(plan) }
  putBounded(plans, key, plan, mostPlans)
  return plan
}

function textOf({ type, from, show, alongside, members }: ReadPlan): string {
  const lines = [
    `${type}: ${fromText(from)}`,
    ...showText(show),
    ...(members === linkageLimit ? [] : [`with ${members} members`]),
    ...alongside.map((edge) =>
      [`alongside ${edge.relationship}: ${edge.target}`, ...showText(edge.show)].join(', '),
    ),
  ]
  return lines.join('; ')
}

function fromText(from: FromShape): string {
  switch (from.kind) {
    case 'ids':
      return from.many ? 'several by id' : 'one by id'
    case 'linkage':
      return `members of ${from.relationship}${from.after ? ' after one' : ''}`
    case 'page': {
      const sort = from.sort.map(({ field, descending }) => (descending ? `-${field}` : field))
      const parts = [
        'page',
        from.filter.length > 0 && `where ${from.filter.join(' and ')}`,
        sort.length > 0 && `by ${sort.join()}`,
        from.after && 'after one',
        from.offset && 'past an offset',
        from.total && 'with total',
      ]
      return parts.filter(Boolean).join(' ')
    }
  }
}

function showText({ attributes, ownAttributes, relationships }: Selection): string[] {
  const shown = [
    ['shows', attributes],
    ['of own ones', ownAttributes],
    ['linkage of', relationships],
  ] as const
  return shown.filter(([, names]) => names.length > 0).map(([what, names]) => `${what} ${names}`)
}
