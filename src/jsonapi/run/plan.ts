import { putBounded } from '../../lib/bounded-map.ts'
import type { SortKey } from '../request/query.ts'
import { planText } from './plan-text.ts'

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

/** A relationship of one resource. */
interface Source {
  readonly type: string
  readonly id: string
  readonly relationship: string
}

/** A set of resources to read. None names one row, so that a query per row cannot be written. */
export type From =
  | {
      readonly kind: 'page'
      /** Of the resources that this relationship leads to; undefined: of all. */
      readonly of?: Source | undefined
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
      /** Filters and order of the targets. */
      readonly filter: Readonly<Record<string, readonly string[]>>
      readonly sort: readonly SortKey[]
      /** Sort values and id of the member before the page. */
      readonly after: readonly string[] | undefined
      readonly limit: number | undefined
    }

/** A set of resources to read, without any value. */
export type FromShape =
  | {
      readonly kind: 'page'
      readonly of: Omit<Source, 'id'> | undefined
      /** The names of the filters. */
      readonly filter: readonly string[]
      readonly sort: readonly SortKey[]
      /** Does the page begin behind a row, and does it skip rows? */
      readonly after: boolean
      readonly offset: boolean
      readonly total: boolean
    }
  | { readonly kind: 'ids'; readonly many: boolean }
  | {
      readonly kind: 'linkage'
      readonly relationship: string
      readonly filter: readonly string[]
      readonly sort: readonly SortKey[]
      readonly after: boolean
    }

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
  /** Of a linkage, and of a page that a relationship leads to, the one resource that has the relationship. */
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
        of: from.of && { type: from.of.type, relationship: from.of.relationship },
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
        filter: Object.keys(from.filter),
        sort: from.sort,
        after: from.after !== undefined,
      }
  }
}

function valuesOf(from: From): Omit<Values, 'viewer'> {
  const none = { ids: [], filter: {}, after: [], offset: 0, limit: undefined }
  switch (from.kind) {
    case 'page': {
      const { of, filter, after = [], offset, limit } = from
      return { ids: of ? [of.id] : [], filter, after, offset, limit }
    }
    case 'ids':
      return { ...none, ids: from.ids }
    case 'linkage': {
      const { id, filter, after = [], limit } = from
      return { ...none, ids: [id], filter, after, limit }
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
  const plan: ReadPlan = { ...form, toString: () => planText(plan, linkageLimit) }
  putBounded(plans, key, plan, mostPlans)
  return plan
}
