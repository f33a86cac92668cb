import { putBounded } from '../../lib/bounded-map.ts'
import type { SortKey } from '../request/query.ts'
import { planText } from './plan-text.ts'

/** The most members of a to-many relationship that a resource object shows (contract, section 7). */
export const linkageLimit = 20

/** What to read of each resource of one type. Fields that the caller may not see are never read. */
export interface Selection {
  readonly attributes: readonly string[]
  /** Attributes that are read only of resources that the caller owns. */
  readonly ownAttributes: readonly string[]
  readonly relationships: readonly string[]
}

/** The selection of nothing but the id. */
export const nothing: Selection = { attributes: [], ownAttributes: [], relationships: [] }

/** A relationship of one resource. */
interface Source {
  readonly type: string
  readonly id: string
  readonly relationship: string
}

/** A set of resources to read. No kind reads rows one by one, so that a query for each row cannot be written. */
export type From =
  | {
      readonly kind: 'page'
      /** The relationship whose related resources are read; undefined to read all resources of the type. */
      readonly of?: Source | undefined
      readonly filter: Readonly<Record<string, readonly string[]>>
      readonly sort: readonly SortKey[]
      /** The sort values and the id of the row before the page; undefined for a page that follows no row. */
      readonly after: readonly string[] | undefined
      readonly offset: number
      /** The most rows; undefined for all. */
      readonly limit: number | undefined
      readonly total: boolean
    }
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  | {
      readonly kind: 'linkage'
      readonly id: string
      readonly relationship: string
      /** The filters that the targets must pass. */
      readonly filter: Readonly<Record<string, readonly string[]>>
      readonly sort: readonly SortKey[]
      /** The sort values and the id of the member before the page; undefined for a page that follows no member. */
      readonly after: readonly string[] | undefined
      readonly limit: number | undefined
    }

/** The form of a {@link From} without its values. */
export type FromShape =
  | {
      readonly kind: 'page'
      readonly of: Omit<Source, 'id'> | undefined
      /** The names of the filters. */
      readonly filter: readonly string[]
      readonly sort: readonly SortKey[]
      /** Does the page follow a row? */
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

/** A relationship whose targets are read in the same round trip, and what to read of each of them. */
export interface PlanEdge {
  readonly relationship: string
  /** The type of the targets. */
  readonly target: string
  readonly show: Selection
}

/**
 * What to read, without any value. Reads of the same form have the same plan object, so that a store can remember with the plan
 * what it makes from it.
 */
export interface ReadPlan {
  readonly type: string
  readonly from: FromShape
  /** What to read of each resource of the type. Of a resource whose linkage is read, only its existence is read. */
  readonly show: Selection
  readonly alongside: readonly PlanEdge[]
  /** The most members of a to-many relationship that are read with each resource. */
  readonly members: number | 'all'
  /** The text of the plan for people, in tests and logs. */
  toString(): string
}

/** The values of one read. Values that its plan does not use are empty. */
export interface Values {
  /** The subject of the person who reads, which tells what they own; null for a caller who cannot own resources. */
  readonly viewer: string | null
  /** The ids to read; for a linkage, or a page of related resources, the id of the resource that has the relationship. */
  readonly ids: readonly string[]
  readonly filter: Readonly<Record<string, readonly string[]>>
  /** The sort values and the id of the row before the page. */
  readonly after: readonly string[]
  readonly offset: number
  /** The most rows; undefined for all. */
  readonly limit: number | undefined
}

/** A plan with the values of one read. */
export interface Read {
  readonly plan: ReadPlan
  readonly values: Values
}

/** What to read, before it is split into plan and values. */
export interface Asked {
  readonly type: string
  readonly from: From
  readonly show: Selection
  readonly alongside?: readonly PlanEdge[]
  readonly members?: number | 'all'
  readonly viewer: string | null
}

/** Makes a read: splits what is asked into a plan and values. */
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

/** The most plans that are remembered. Fieldsets make many combinations, so that the oldest plans are dropped. */
const mostPlans = 500

const plans = new Map<string, ReadPlan>()

/** The remembered plan of a form, or a new one. */
function planOf(form: Omit<ReadPlan, 'toString'>): ReadPlan {
  // The key holds the whole form, so that a member that is added to it later is in the key, too.
  const key = JSON.stringify(form)
  const known = plans.get(key)
  if (known) {
    return known
  }
  const plan: ReadPlan = { ...form, toString: () => planText(plan, linkageLimit) }
  putBounded(plans, key, plan, mostPlans)
  return plan
}
