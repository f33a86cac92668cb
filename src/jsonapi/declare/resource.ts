import type { Schema, Valid } from '../zod.ts'
import type { ResourceOperation, ToManyOperation, ToOneOperation } from './operation.ts'

/**
 * The caller: a person or a client. `id` is the subject of a person's token, or the id of a client; it is
 * unique together with `issuer`.
 */
export interface Principal {
  readonly kind: 'user' | 'client'
  readonly issuer: string
  readonly id: string
  readonly scopes: ReadonlySet<string>
  /**
   * The subject of a person whose token has no scope of this service. The principal is then the client, with a client's rights,
   * but the person is charged and named in the log.
   */
  readonly subject?: string
}

/** What a caller must have. An empty object admits any valid token. Scopes count only for persons. */
export interface Access {
  /** The token must stand for a person who granted all of these. */
  readonly scopes?: readonly string[]
  /** The person must own the resource. */
  readonly owner?: true
}

/** A rule of access: it admits a caller who meets one of the alternatives. */
export type AccessRule = readonly [Access, ...Access[]]

/** The rule that admits any valid token. */
export const anyone: AccessRule = [{}]

/**
 * Does the rule admit the principal?
 *
 * @param owned does the principal own the resource? `'maybe'` asks whether the rule could admit the principal for some resource
 */
export function allows(rule: AccessRule, principal: Principal, owned: boolean | 'maybe'): boolean {
  const isPerson = principal.kind === 'user'
  return rule.some(
    ({ scopes, owner }) =>
      (!scopes || (isPerson && scopes.every((scope) => principal.scopes.has(scope)))) &&
      (!owner || (isPerson && owned !== false)),
  )
}

/**
 * The types of `stored` in declarations. They belong to the store, which adds them by
 * [module augmentation](https://www.typescriptlang.org/docs/handbook/declaration-merging.html#module-augmentation): see `src/db/stored.ts`.
 * Nothing in `src/jsonapi` looks inside.
 *
 * @public
 */
/* biome-ignore lint/suspicious/noEmptyInterface: the store adds the members */
export interface Stored {}

/** The rules of single members, by the names that they have in an object, or in the objects of an array. */
type Members<Value> = unknown extends Value
  ? Readonly<Record<string, Pick<OperationRule, 'access'>>>
  : Value extends readonly (infer Item)[]
    ? Members<Item>
    : Value extends object
      ? { readonly [Name in keyof Value]?: Pick<OperationRule, 'access'> }
      : never

/**
 * One attribute of a resource type. Only a caller who may read it and all its members, of every resource of the type, may sort
 * or filter by it.
 */
export interface Attribute<Of extends Schema = Schema> {
  /**
   * Makes the schema of the values that a request may send and an answer holds. If it is nullable, null removes the value.
   * An isolate starts without the schemas that its first requests do not need.
   */
  readonly schema: () => Of
  readonly stored: Stored['attribute']
  /** Must a create send it? */
  readonly required?: true
  /** Does the server set it, at a create by `$defaultFn` of its column, or compute it? No request may send it. */
  readonly readOnly?: true
  /** Who sees it. Other callers get a resource object without it. */
  readonly access: AccessRule
  /** Who sees single members of the object, or of the objects of an array. A caller must meet `access`, too. */
  readonly members?: Members<Valid<Of>>
  /** Is it a secret? No cache may keep an answer that shows it, and no error repeats it. */
  readonly sensitive?: true
  /** Can `sort` name it? */
  readonly sortable?: true
  /**
   * Can `filter[…]` name it? `true`: each item of the list has the schema of the attribute, which must be a text. Otherwise
   * it makes the schema of one item, which may also normalise it.
   */
  readonly filter?: Of extends Schema<string, string>
    ? true | (() => Schema<string, string>)
    : () => Schema<string, string>
}

/** A filter that is no attribute. Its parameter is one text, not a list. */
export interface Filter {
  readonly description: string
  /** Makes the schema of the text, which may also normalise it. */
  readonly schema: () => Schema<string, string>
  /** Who may use it, of all resources of the type: it reveals what it compares. */
  readonly access: AccessRule
  readonly stored: Stored['filter']
}

/** How one operation is offered. */
export interface OperationRule {
  /** Who may call it. Ownership depends on the resource, everything else only on the token. */
  readonly access: AccessRule
  /** The status of success in place of the operation's own, for example 202 instead of 204. */
  readonly status?: 200 | 201 | 202 | 203
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

/** A relationship to at most one resource. If `readOne` is declared, the related resource itself can be read, too. */
export interface ToOne extends RelationshipBase {
  readonly cardinality: 'one'
  readonly stored: Stored['toOne']
  readonly operations: Readonly<Partial<Record<ToOneOperation, OperationRule>>>
}

/** Pages that follow each other by cursors. */
interface CursorPages {
  readonly by: 'cursor'
  /** The resources on a page, unless `page[limit]` asks for another number. */
  readonly size: number
  /** The maximum of `page[limit]`. The parameter is not accepted if absent. */
  readonly max?: number
}

/**
 * How something is read in pages, and how many resources are on one; `none` if it is read as a whole. Pages by offset can follow each
 * other by cursors, too.
 */
export type Pagination =
  | CursorPages
  | (Required<Omit<CursorPages, 'by'>> & { readonly by: 'offset' })
  | 'none'

/** A relationship to any number of resources. If `readMany` is declared, the related resources themselves can be read, too. */
export interface ToMany extends RelationshipBase {
  readonly cardinality: 'many'
  readonly stored: Stored['toMany']
  /** How its own endpoints page. Only the endpoint of related resources accepts `page[limit]`. */
  readonly pagination: CursorPages | 'none'
  /** The members that `meta` of each identifier must have when it is written. */
  readonly meta?: Readonly<
    Record<string, { readonly schema: () => Schema<string>; readonly stored: Stored['meta'] }>
  >
  /** May a resource be related to itself? */
  readonly reflexive?: false
  readonly operations: Readonly<Partial<Record<ToManyOperation, OperationRule>>>
}

/** A relationship of a resource type. */
export type Relationship = ToOne | ToMany

/**
 * The declaration of one resource type. Routes, validation, access, rendering, storage and the interface description are
 * made from it.
 */
export interface ResourceDefinition {
  readonly type: string
  /** The word for one resource of the type in descriptions; the type itself if absent. */
  readonly singular?: string
  readonly description: string
  readonly stored: Stored['resource']
  /**
   * For small reference data: each isolate reads all resources of the type at once, and serves them from a snapshot in memory. To
   * include them costs less than to include others.
   */
  readonly snapshot?: true
  /** The schema of the id, and whether `filter[id]` is accepted. */
  readonly id?: Pick<Attribute<Schema<string, string>>, 'schema'> & { readonly filter?: true }
  readonly attributes: Readonly<Record<string, Attribute>>
  readonly relationships: Readonly<Record<string, Relationship>>
  /** Filters that are no attributes, by the names between the brackets. */
  readonly filters?: Readonly<Record<string, Filter>>
  /** How the collection pages. */
  readonly pagination: Pagination
  /** The operations that are implemented. Any other is a 404. */
  readonly operations: Readonly<
    Partial<Record<Exclude<ResourceOperation, 'create'>, OperationRule>>
  > & {
    /** `newId` makes the id of a new resource. */
    readonly create?: OperationRule & { readonly newId: () => string }
  }
  /** `Cache-Control` of successful answers that show nothing sensitive. */
  readonly cacheControl: string
}

/** A declaration in which the compiler checks each attribute against its own schema. */
type Declaration<Schemas extends Readonly<Record<string, Schema>>> = Omit<
  ResourceDefinition,
  'attributes'
> & { readonly attributes: { readonly [Name in keyof Schemas]: Attribute<Schemas[Name]> } }

/**
 * Declares a resource type. The compiler checks each attribute against its own schema.
 *
 * @example
 * export const planets = defineResource({
 *   type: 'planets',
 *   description: 'Planets of the sun.',
 *   stored: { table: planetTable, id: planetTable.id },
 *   attributes: {
 *     name: { schema: () => z.string(), stored: { column: planetTable.name }, access: anyone },
 *   },
 *   relationships: {},
 *   pagination: { by: 'cursor', size: 20 },
 *   operations: { list: { access: anyone }, get: { access: anyone } },
 *   cacheControl: 'private, max-age=3600',
 * })
 */
export function defineResource<Schemas extends Readonly<Record<string, Schema>>>(
  declaration: Declaration<Schemas>,
) {
  // A declaration is narrower than a definition, which the compiler cannot see through the mapped types.
  return declaration as unknown as ResourceDefinition
}

/** Declares a relationship to at most one resource of the type `target`. */
export function toOne(target: string, declaration: Omit<ToOne, 'cardinality' | 'target'>): ToOne {
  return { ...declaration, target, cardinality: 'one' }
}

/** Declares a relationship to any number of resources of the type `target`. */
export function toMany(
  target: string,
  declaration: Omit<ToMany, 'cardinality' | 'target'>,
): ToMany {
  return { ...declaration, target, cardinality: 'many' }
}

/** The members that `meta` of the identifiers of a relationship has, if it has any. */
export function identifierMeta(relationship: Relationship | undefined) {
  return relationship?.cardinality === 'many' ? relationship.meta : undefined
}

/** The attributes that a request may send, by name. */
export function writableAttributes({ attributes }: ResourceDefinition) {
  return Object.entries(attributes).filter(([, { readOnly }]) => !readOnly)
}

/** The relationships that a resource object in a request can hold, by name: those that can be replaced. */
export function writableRelationships({ relationships }: ResourceDefinition) {
  return Object.entries(relationships).filter(
    ([, { operations }]) => 'replaceOne' in operations || 'replaceMany' in operations,
  )
}

/** Can the linkage of the relationship be read at an endpoint of its own? Its related resources can be read then, too. */
export function isReadable({ operations }: Relationship): boolean {
  return 'readOne' in operations || 'readMany' in operations
}
