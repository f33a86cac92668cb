import type { Sealer } from '../../lib/key-ring.ts'
import type { Principal } from '../declare/access.ts'
import type { Operation, ReadOperation } from '../declare/operation.ts'
import type { Endpoint, Registry } from '../declare/registry.ts'
import type { ResourceDefinition } from '../declare/resource.ts'
import type { IncludeTree, QuerySpec } from '../request/query.ts'
import {
  type Found,
  type From,
  onlyId,
  type Read,
  type ResourceRecord,
  type Store,
} from './store.ts'
import { seesLinkage, type View, viewOf } from './view.ts'

/** What operations need to run: the resource types, their store, and the root path of links. */
export interface Service {
  readonly registry: Registry
  readonly store: Store
  readonly root: string
  /** The largest `page[offset]` within a collection for this request. */
  readonly offsetLimit: number
  /** Seals cursors that hold values of attributes. */
  readonly sealer: Sealer
}

/** One validated request to an endpoint. */
export interface Request<Name extends Operation> extends Endpoint {
  readonly operation: Name
  /** The id in the path; undefined for a collection. */
  readonly id: string | undefined
  readonly principal: Principal
  /** The path and query string as they were sent, which `links.self` repeats. */
  readonly path: string
  readonly search: string
}

/** What to read for one request, and the views that render what is found. */
export interface Reading {
  readonly read: Read
  /** The relationships to follow. The caller may see all of them. */
  readonly tree: IncludeTree
  /** What the caller sees of the primary data. */
  readonly view: View
  /** What the caller sees of an included resource of a type when the relationships in `follows` are followed from it. */
  readonly includedView: (type: string, follows: IncludeTree) => View
}

/** An included resource, and the relationships that include paths follow from it. */
export interface Included {
  readonly record: ResourceRecord
  readonly follows: IncludeTree
}

/** The result of one read: the primary data, and the included resources, each of them once. */
export interface Graph {
  readonly found: Found
  readonly included: readonly Included[]
}

/** Plans the read of a request. It returns no value of a column that the caller may not see. */
export function planRead(
  { registry }: Pick<Service, 'registry'>,
  { definition, principal }: Pick<Request<Operation>, 'definition' | 'principal'>,
  { include, fields }: Pick<QuerySpec, 'include' | 'fields'>,
  from: From,
): Reading {
  const tree = visibleTree(registry, definition, principal, include ?? new Map())
  const view = viewOf(definition, principal, fields.get(definition.type), {
    follows: tree,
    isIncluded: false,
  })
  const views = new Map<IncludeTree, View>()
  const includedView = (type: string, follows: IncludeTree): View => {
    const known = views.get(follows)
    if (known) {
      return known
    }
    const place = { follows, isIncluded: true }
    const made = viewOf(registry.get(type), principal, fields.get(type), place)
    views.set(follows, made)
    return made
  }
  return {
    tree,
    view,
    includedView,
    read: {
      type: definition.type,
      from,
      show: from.kind === 'linkage' ? onlyId : view.selection,
      alongside: [...tree].map(([relationship, subtree]) => {
        const target = targetOf(definition, relationship)
        return { relationship, target, show: includedView(target, subtree).selection }
      }),
      viewer: principal.kind === 'user' ? principal.id : null,
    },
  }
}

/** The target type of a declared relationship. */
function targetOf({ relationships }: ResourceDefinition, relationship: string): string {
  return relationships[relationship]?.target ?? ''
}

/** Which resources a read asks for. */
export function fromOf(
  { definition: { type }, operation, id = '', relationship = '' }: Request<ReadOperation>,
  { filter, sort, page }: QuerySpec,
): From {
  const { after, offset, limit } = page
  const query = { filter, sort, after, limit }
  switch (operation) {
    case 'list':
      return { kind: 'page', ...query, offset, total: page.strategy === 'offset' }
    case 'get':
      return { kind: 'ids', ids: [id] }
    case 'relatedOne':
    case 'relatedMany':
      return { kind: 'page', of: { type, id, relationship }, ...query, offset: 0, total: false }
    default:
      return { kind: 'linkage', id, relationship, ...query }
  }
}

/** The include tree without relationships that the caller may not see, so that nothing is read through them (contract, section 4). */
function visibleTree(
  registry: Registry,
  definition: ResourceDefinition,
  principal: Principal,
  tree: IncludeTree,
): IncludeTree {
  const visible = [...tree].filter(([name]) => seesLinkage(definition, name, principal))
  return new Map(
    visible.map(([name, subtree]) => {
      const target = registry.get(targetOf(definition, name))
      return [name, visibleTree(registry, target, principal, subtree)]
    }),
  )
}
