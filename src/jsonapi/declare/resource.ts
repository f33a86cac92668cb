import type { Schema, Valid } from '../validate.ts'
import type { AccessRule } from './access.ts'
import type { Operation, ResourceOperation, ToManyOperation, ToOneOperation } from './operation.ts'

/**
 * The types of `stored` in declarations: where a store keeps a resource type, an attribute, a relationship, and a member
 * of the meta of its identifiers. The store supplies them; nothing in this folder looks inside.
 */
export interface Storage {
  readonly resource: unknown
  readonly attribute: unknown
  readonly toOne: unknown
  readonly toMany: unknown
  readonly meta: unknown
}

/** The names of the members of an object, or of the objects of an array. */
type MemberName<Value> = unknown extends Value
  ? string
  : Value extends readonly (infer Item)[]
    ? MemberName<Item>
    : Value extends object
      ? keyof Value & string
      : never

/** Rules of single members by name. */
type Members<Name extends string> = string extends Name
  ? Readonly<Record<string, MemberRule>>
  : [Name] extends [never]
    ? never
    : { readonly [Member in Name]?: MemberRule }

interface MemberRule {
  readonly access: AccessRule
}

/**
 * One attribute of a resource type. Who may not read the attribute, or one of its members, of every resource may neither
 * sort nor filter by it (contract, section 4).
 */
export interface Attribute<Stored extends Storage = Storage, Of extends Schema = Schema> {
  /** What a request may send and an answer holds. A nullable schema: null clears the attribute. */
  readonly schema: Of
  readonly stored: Stored['attribute']
  /** Must a create carry it? */
  readonly required?: true
  /** Who sees it; anyone else gets a resource object without it. */
  readonly access: AccessRule
  /** Who sees single members of an object, or of the objects of an array, on top of `access`. */
  readonly members?: Members<MemberName<Valid<Of>>>
  /** A secret: no cache keeps an answer that shows it, and no error repeats it. */
  readonly sensitive?: true
  /** Does `sort` take it? */
  readonly sortable?: true
  /**
   * Does `filter[…]` take it? `true`: each item of the list has the schema of the attribute, which must be one of text.
   * A schema of an item may also normalise it.
   */
  readonly filter?: Of extends Schema<string, string>
    ? true | Schema<string, string>
    : Schema<string, string>
}

/** The id of a resource: how it is described, and whether `filter[id]` takes it. */
interface Id {
  readonly schema: Schema<string, string>
  readonly filter?: true
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

/** A relationship to at most one resource. `readOne` offers the related resource itself, too. */
export interface ToOne<Stored extends Storage = Storage> extends RelationshipBase {
  readonly cardinality: 'one'
  readonly stored: Stored['toOne']
  readonly operations: Readonly<Partial<Record<ToOneOperation, OperationRule>>>
}

/** A member of the meta of identifiers: an enumeration. */
interface MetaMember<Stored extends Storage = Storage> {
  readonly schema: Schema<string>
  readonly stored: Stored['meta']
}

/** A relationship to any number of resources. `readMany` offers the related resources themselves, too. */
export interface ToMany<Stored extends Storage = Storage> extends RelationshipBase {
  readonly cardinality: 'many'
  readonly stored: Stored['toMany']
  /** How its own endpoints page. */
  readonly pagination: 'cursor' | 'none'
  /** What each identifier's `meta` must carry when it is written. */
  readonly meta?: Readonly<Record<string, MetaMember<Stored>>>
  /** May a resource be related to itself? */
  readonly reflexive?: false
  readonly operations: Readonly<Partial<Record<ToManyOperation, OperationRule>>>
}

/** A relationship of a resource type. */
export type Relationship<Stored extends Storage = Storage> = ToOne<Stored> | ToMany<Stored>

/**
 * Everything the service knows of one resource type. Routes, validation, access, rendering, storage and the interface
 * description follow from it.
 */
export interface ResourceDefinition<Stored extends Storage = Storage> {
  readonly type: string
  /** What descriptions call one of them; the type itself if absent. */
  readonly singular?: string
  readonly description: string
  readonly stored: Stored['resource']
  readonly id?: Id
  readonly attributes: Readonly<Record<string, Attribute<Stored>>>
  readonly relationships: Readonly<Record<string, Relationship<Stored>>>
  /** How the collection pages. `offset` takes `page[cursor]` as well. */
  readonly pagination: 'cursor' | 'offset' | 'none'
  /** Presence: the operation is implemented. Absence: 404. */
  readonly operations: Readonly<Partial<Record<ResourceOperation, OperationRule>>>
  /** `Cache-Control` of successful answers that show nothing sensitive. */
  readonly cacheControl: string
  /** An id for a new resource; needed where `create` is implemented. */
  readonly newId?: () => string
}

/** A declaration whose attributes are checked each against its own schema. */
type Declaration<
  Stored extends Storage,
  Schemas extends Readonly<Record<string, Schema>>,
  Relationships extends ResourceDefinition<Stored>['relationships'],
> = Omit<ResourceDefinition<Stored>, 'attributes' | 'relationships'> & {
  readonly attributes: { readonly [Name in keyof Schemas]: Attribute<Stored, Schemas[Name]> }
  readonly relationships: Relationships
}

/** A definition that keeps the names of its fields. */
type Defined<
  Stored extends Storage,
  Schemas,
  Relationships extends ResourceDefinition<Stored>['relationships'],
> = Omit<ResourceDefinition<Stored>, 'attributes' | 'relationships'> & {
  readonly attributes: Readonly<Record<keyof Schemas & string, Attribute<Stored>>>
  readonly relationships: Relationships
}

/** The words in which resource types are declared for one kind of store. */
export function declarations<Stored extends Storage>() {
  return {
    /** Declares a resource type: the compiler checks each attribute against its own schema. */
    defineResource: <
      Schemas extends Readonly<Record<string, Schema>>,
      const Relationships extends ResourceDefinition<Stored>['relationships'],
    >(
      declaration: Declaration<Stored, Schemas, Relationships>,
    ) =>
      // What was checked against each schema is a definition all the more.
      declaration as unknown as Defined<Stored, Schemas, Relationships>,
    /** Declares a relationship to at most one resource of the type `target`. */
    toOne: (
      target: string,
      declaration: Omit<ToOne<Stored>, 'cardinality' | 'target'>,
    ): ToOne<Stored> => ({ ...declaration, target, cardinality: 'one' }),
    /** Declares a relationship to any number of resources of the type `target`. */
    toMany: (
      target: string,
      declaration: Omit<ToMany<Stored>, 'cardinality' | 'target'>,
    ): ToMany<Stored> => ({ ...declaration, target, cardinality: 'many' }),
  }
}

/** Does a relationship have the operation that reads its linkage, and with it the one that reads related resources? */
export function isReadable({ operations }: Relationship): boolean {
  return 'readOne' in operations || 'readMany' in operations
}

/** The reads of linkage whose rule of access is that of the related resources too. */
const readsOfLinkage = { relatedOne: 'readOne', relatedMany: 'readMany' } as const

/**
 * The rule of an operation on a resource, or on one of its relationships; undefined: not implemented. Related resources
 * are offered wherever the linkage is, to the same callers.
 */
export function ruleOf(
  definition: ResourceDefinition,
  operation: Operation,
  relationship: string | undefined,
): OperationRule | undefined {
  const rules: Readonly<Partial<Record<Operation, OperationRule>>> | undefined =
    relationship === undefined
      ? definition.operations
      : definition.relationships[relationship]?.operations
  if (operation !== 'relatedOne' && operation !== 'relatedMany') {
    return rules?.[operation]
  }
  const linkage = rules?.[readsOfLinkage[operation]]
  return linkage && { access: linkage.access }
}

/**
 * An id for a resource that is to be created.
 *
 * @throws Error for a type that makes none: a mistake of the program, never of a caller
 */
export function newIdOf({ type, newId }: ResourceDefinition): string {
  if (!newId) {
    throw new Error(`${type} can be created, but makes no ids`)
  }
  return newId()
}
