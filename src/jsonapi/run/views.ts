import type { Sealer } from '../../lib/key-ring.ts'
import { isRead, isRelated, type Operation, type ReadOperation } from '../declare/operation.ts'
import type { Endpoint, Registry } from '../declare/registry.ts'
import {
  type AccessRule,
  allows,
  type Principal,
  type ResourceDefinition,
} from '../declare/resource.ts'
import type { Payload } from '../request/body.ts'
import type { PathTree, QuerySpec } from '../request/query.ts'
import {
  type From,
  linkageLimit,
  onlyId,
  type Read,
  type ResourceRecord,
  type Selection,
  type Store,
} from './port.ts'

/** The path and the query string of a request as they were sent. The query string has its `?`, and is empty if there is none. */
export interface RequestTarget {
  readonly path: string
  readonly search: string
}

/** What operations need to run: the resource types, their store, and the root path of links. */
export interface Service {
  readonly registry: Registry
  readonly store: Store
  readonly root: string
  /** What `links.self` of the answer repeats. */
  readonly target: RequestTarget
  /** The maximum `page[offset]` within a collection for this request. */
  readonly offsetLimit: number
  /** Seals cursors that hold values of attributes. */
  readonly sealer: Sealer
}

/** The id of the resource that exists or is to be made. Only the list of a collection has none. */
type Identified =
  | { readonly operation: 'list'; readonly id?: undefined }
  | { readonly operation: Exclude<Operation, 'list'>; readonly id: string }

/** A valid request to an endpoint, or an operation of a transaction. */
export type ValidRequest<Name extends Operation = Operation> = Endpoint<Name> &
  Identified & {
    readonly principal: Principal
    readonly query: QuerySpec
    /** Empty if the operation accepts no body. */
    readonly payload: Payload
  }

/** An included resource, and the relationships that include paths follow from it. */
export interface Included {
  readonly record: ResourceRecord
  readonly follows: PathTree
}

/** Which resources a request asks for. */
export function fromOf(request: ValidRequest<ReadOperation>): From {
  const { query } = request
  const { after, offset, limit } = query.page
  const rows = { filter: query.filter, sort: query.sort, after, limit }
  if (request.operation === 'list') {
    return { kind: 'page', ...rows, offset, total: query.page.strategy === 'offset' }
  }
  if (request.operation === 'get') {
    return { kind: 'ids', ids: [request.id] }
  }
  const { definition, id, relationship } = request
  const of = { type: definition.type, id, relationship }
  return isRelated(request.operation)
    ? { kind: 'page', of, ...rows, offset: 0, total: false }
    : { kind: 'linkage', id, relationship, ...rows }
}

/** The include tree without relationships that the caller may not see, so that nothing is read through them. */
function visibleTree(
  registry: Registry,
  { relationships }: ResourceDefinition,
  principal: Principal,
  tree: PathTree,
): PathTree {
  return new Map(
    [...tree].flatMap(([name, subtree]) => {
      const declared = relationships[name]
      return declared && allows(declared.access, principal, 'maybe')
        ? [[name, visibleTree(registry, registry.get(declared.target), principal, subtree)]]
        : []
    }),
  )
}

/** An attribute as one caller sees it: the requested members, and the members that are hidden. */
export type ShownAttribute = Readonly<ReturnType<typeof shownAttributes>[number]>

/** What one caller sees of the resources of one type, narrowed to the fields that were asked for. */
export interface View {
  readonly definition: ResourceDefinition
  readonly principal: Principal
  /** The attributes that are shown of resources that the caller owns. */
  readonly own: readonly ShownAttribute[]
  /** The attributes that are shown of all other resources. */
  readonly foreign: readonly ShownAttribute[]
  /**
   * Only links are shown if the caller may not see the linkage. An included resource shows the linkage of a to-many relationship only if
   * a path follows it.
   */
  readonly relationships: readonly { readonly name: string; readonly linkage: boolean }[]
  readonly selection: Selection
  /** The relationships that include paths follow. The caller may see all of them. */
  readonly follows: PathTree
  /** What the caller sees of an included resource of a type when these relationships are followed from it. */
  readonly included: (type: string, follows: PathTree) => View
}

/** Which type is shown, to whom, and with which fields. */
interface Shown extends Pick<ValidRequest, 'subject' | 'principal'> {
  readonly query: Pick<QuerySpec, 'include' | 'fields'>
}

/** Makes the view of the primary data of a request. */
export function viewOf(registry: Registry, { subject, principal, query }: Shown): View {
  const { include = new Map(), fields } = query
  const follows = visibleTree(registry, subject, principal, include)
  const views = new Map<PathTree, View>()
  const included = (type: string, tree: PathTree): View => {
    const known = views.get(tree)
    const made = known ?? makeView(registry.get(type), principal, fields, tree, true, included)
    views.set(tree, made)
    return made
  }
  return makeView(subject, principal, fields, follows, false, included)
}

/**
 * The maximum number of resources that `include` adds. Each level can have 20 times as many as the one before, so without a bound one
 * cheap request could fill the memory that all requests of an isolate share.
 */
export const maxIncluded = 1_000

/**
 * The read of what a view shows. It returns no value of a column that the caller may not see. The targets of relationships are left to a
 * later read if there may be too many of them.
 */
export function readOf(view: View, from: From): Read {
  const { definition, principal, selection, follows, included } = view
  const edges = [...follows].map(([relationship, subtree]) => {
    const { target = '', cardinality } = definition.relationships[relationship] ?? {}
    const shown = included(target, subtree)
    // Reference data are in memory.
    const most = shown.definition.snapshot ? 0 : cardinality === 'many' ? linkageLimit : 1
    return { edge: { relationship, target, show: shown.selection }, most }
  })
  const rows = from.kind === 'page' ? (from.limit ?? maxIncluded) : 1
  const isBounded = rows * edges.reduce((sum, { most }) => sum + most, 0) <= maxIncluded
  const alongside = isBounded ? edges.map(({ edge }) => edge) : []
  const show = from.kind === 'linkage' ? onlyId : selection
  const viewer = principal.kind === 'user' ? principal.id : null
  return { type: definition.type, from, show, alongside, prefetch: includedTypes(view), viewer }
}

/** The types that the include paths of a view lead to, on all levels. */
function includedTypes({ definition, follows, included }: View): string[] {
  return [...follows].flatMap(([relationship, subtree]) => {
    const target = definition.relationships[relationship]?.target ?? ''
    return [target, ...includedTypes(included(target, subtree))]
  })
}

/**
 * Makes a view: applies access rules and sparse fieldsets to a type.
 *
 * @param follows relationships whose linkage is read, even if `fields` hides them
 * @param isIncluded an included resource shows linkage of a to-many relationship only if an include path follows it
 */
function makeView(
  definition: ResourceDefinition,
  principal: Principal,
  fieldsets: QuerySpec['fields'],
  follows: PathTree,
  isIncluded: boolean,
  included: View['included'],
): View {
  const fields = fieldsets.get(definition.type)
  const own = shownAttributes(definition, principal, fields, true)
  const foreign = shownAttributes(definition, principal, fields, false)
  const relationships = Object.entries(definition.relationships).map(
    ([name, { cardinality, access }]) => ({
      name,
      linkage:
        (!isIncluded || cardinality === 'one' || follows.has(name)) &&
        allows(access, principal, 'maybe'),
    }),
  )
  const isAsked = ({ name }: { readonly name: string }): boolean => !fields || fields.has(name)
  const attributes = foreign.map(({ name }) => name)
  return {
    definition,
    principal,
    own,
    foreign,
    relationships: relationships.filter(isAsked),
    selection: {
      attributes,
      ownAttributes: own.map(({ name }) => name).filter((name) => !attributes.includes(name)),
      relationships: relationships
        .filter((each) => each.linkage && (isAsked(each) || follows.has(each.name)))
        .map(({ name }) => name),
    },
    follows,
    included,
  }
}

/** Does the view show a sensitive value of the resource? Then no cache may keep the answer. */
export function showsSensitive(
  { definition, own, foreign }: View,
  { owned, attributes }: ResourceRecord,
): boolean {
  return (owned ? own : foreign).some(
    ({ name }) => definition.attributes[name]?.sensitive && attributes[name] != null,
  )
}

/**
 * May the caller see the revision of a resource? The owner may, and everybody who may write it without owning it. For others a
 * revision would reveal that a hidden value has changed.
 */
export function seesRevision(
  { operations, relationships }: ResourceDefinition,
  principal: Principal,
  owned: boolean,
): boolean {
  return (
    owned ||
    [{ operations }, ...Object.values(relationships)].some((one) =>
      Object.entries(one.operations).some(
        ([name, { access }]) =>
          name !== 'create' && !isRead(name as Operation) && allows(access, principal, false),
      ),
    )
  )
}

/** What is kept of an attribute that is shown with all its members. */
const whole: PathTree = new Map()

function shownAttributes(
  { attributes }: ResourceDefinition,
  principal: Principal,
  fields: PathTree | undefined,
  owned: boolean,
) {
  const isSeen = ({ access }: { readonly access: AccessRule }): boolean =>
    allows(access, principal, owned)
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    if ((fields && !fields.has(name)) || !isSeen(attribute)) {
      return []
    }
    const members = Object.entries(attribute.members ?? {})
    const hidden = members.flatMap(([member, rule]) => (isSeen(rule) ? [] : member))
    return { name, keep: fields?.get(name) ?? whole, hidden }
  })
}
