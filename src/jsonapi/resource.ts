import type { AccessRule } from './access.ts'
import type { Operation, ResourceOperation, ToManyOperation, ToOneOperation } from './operation.ts'
import type { Schema } from './validate.ts'

/** One attribute of a resource type. */
export interface Attribute {
  /** What a request may send and an answer holds. A nullable schema: null clears the attribute. */
  readonly schema: Schema
  /** Must a create carry it? */
  readonly required?: true
  /** Who sees it; anyone else gets a resource object without it. */
  readonly access: AccessRule
  /** Rules of single members of an object, or of the objects of an array, on top of `access`. */
  readonly memberAccess?: Readonly<Record<string, AccessRule>>
  /** A secret: no cache keeps an answer that shows it, and no error repeats it. */
  readonly sensitive?: true
}

/** How one operation is offered. */
export interface OperationRule {
  /** Who may call it. Ownership is judged against the resource, the rest against the token alone. */
  readonly access: AccessRule
  /** A success status in place of the operation's own, 202 instead of 204 for instance. */
  readonly status?: number
  /** Response headers on success; a name may occur more than once. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
}

interface RelationshipBase {
  /** The related resource type. */
  readonly target: string
  /** Who sees the linkage, and what is included through it. */
  readonly access: AccessRule
  readonly description: string
}

/** A relationship to at most one resource. */
interface ToOne extends RelationshipBase {
  readonly cardinality: 'one'
  readonly operations: Readonly<Partial<Record<ToOneOperation, OperationRule>>>
}

/** A relationship to any number of resources. */
interface ToMany extends RelationshipBase {
  readonly cardinality: 'many'
  /** How its own endpoint pages. */
  readonly pagination: 'cursor' | 'none'
  /** What each identifier's `meta` must carry when it is written; members are enumerations. */
  readonly meta?: Readonly<Record<string, Schema<string>>>
  /** May a resource be related to itself? */
  readonly reflexive?: false
  readonly operations: Readonly<Partial<Record<ToManyOperation, OperationRule>>>
}

/** A relationship of a resource type. */
export type Relationship = ToOne | ToMany

/**
 * Everything the service knows of one resource type. Routes, validation, access, rendering and the
 * interface description follow from it.
 *
 * `Source` says where the resources are stored; only a store understands it.
 */
export interface ResourceDefinition<Source = unknown> {
  readonly type: string
  /** What descriptions call one of them; the type itself if absent. */
  readonly singular?: string
  readonly description: string
  readonly attributes: Readonly<Record<string, Attribute>>
  readonly relationships: Readonly<Record<string, Relationship>>
  /** What `filter[…]` takes: the schema of one item, which may normalise it. */
  readonly filters: Readonly<Record<string, Schema<string, string>>>
  /** The attributes that `sort` takes. */
  readonly sorts: readonly string[]
  /** How the collection pages. `offset` takes `page[cursor]` as well. */
  readonly pagination: 'cursor' | 'offset' | 'none'
  /** Presence: the operation is implemented. Absence: 404. */
  readonly operations: Readonly<Partial<Record<ResourceOperation, OperationRule>>>
  /** `Cache-Control` of successful answers that show nothing sensitive. */
  readonly cacheControl: string
  /** An id for a new resource; needed where `create` is implemented. */
  readonly newId?: () => string
  readonly source: Source
}

/** Identity that checks the declaration and keeps its exact type. */
export function defineResource<const Definition extends ResourceDefinition>(
  definition: Definition,
): Definition {
  return definition
}

/** The rule of an operation on a resource, or on one of its relationships; undefined: not implemented. */
export function ruleOf(
  definition: ResourceDefinition,
  operation: Operation,
  relationship: string | undefined,
): OperationRule | undefined {
  const rules: Readonly<Partial<Record<Operation, OperationRule>>> | undefined =
    relationship === undefined
      ? definition.operations
      : definition.relationships[relationship]?.operations
  return rules?.[operation]
}
