import {
  hasId,
  isRead,
  isRelated,
  type Operation,
  operations,
  type ReadOperation,
  type ResourceOperation,
} from './operation.ts'
import type { OperationRule, Relationship, ResourceDefinition } from './resource.ts'

/** The maximum length of an `include` path, in relationships. */
export const includeDepth = 3

/** The resource types of a service. */
export type Registry = ReturnType<typeof createRegistry>

/** Collects resource types into a registry. `npm run check` checks them. */
export function createRegistry(definitions: readonly ResourceDefinition[]) {
  const byType = new Map(definitions.map((definition) => [definition.type, definition]))
  /** @throws Error for an unknown type: a mistake in the program, not of the caller */
  function get(type: string): ResourceDefinition {
    const definition = byType.get(type)
    if (!definition) {
      throw new Error(`There is no resource type ${type}`)
    }
    return definition
  }
  /** The types that a document about `type` can hold: the type itself, and every type that `include` reaches from it. */
  function reachable(type: string, depth = includeDepth): readonly string[] {
    const targets = Object.values(get(type).relationships).map(({ target }) => target)
    const further = depth > 0 ? targets.flatMap((target) => reachable(target, depth - 1)) : []
    return [...new Set([type, ...further])]
  }
  return { types: definitions.map(({ type }) => type), get, reachable }
}

/** The resources of a type. */
interface OfResources {
  readonly definition: ResourceDefinition
  readonly relationship: undefined
  readonly declared: undefined
}

/** One relationship of a type: its name, and its declaration. */
interface OfRelationship {
  readonly definition: ResourceDefinition
  readonly relationship: string
  readonly declared: Relationship
}

/** What an operation is about: the resources of a type, or one of its relationships. */
export type Place = OfResources | OfRelationship

/** An operation of a place, whether it is implemented or not. */
type OperationAt = Place & { readonly operation: Operation }

interface Implemented<Name> {
  readonly operation: Name
  readonly rule: OperationRule
  /** The type whose resources it answers with: for related resources, the target of the relationship. */
  readonly subject: ResourceDefinition
}

/** One implemented operation, and who may call it. */
export type Endpoint<Name extends Operation = Operation> = Name extends ResourceOperation
  ? OfResources & Implemented<Name>
  : OfRelationship & Implemented<Name>

/** Does the endpoint change nothing? */
export function isReadEndpoint(endpoint: Endpoint): endpoint is Endpoint<ReadOperation> {
  return isRead(endpoint.operation)
}

/** The resources of a type, and each of its relationships. */
export function placesOf(definition: ResourceDefinition): Place[] {
  const relationships = Object.entries(definition.relationships)
  return [
    { definition, relationship: undefined, declared: undefined },
    ...relationships.map(([name, declared]) => ({ definition, relationship: name, declared })),
  ]
}

/** Every implemented operation, from the declarations of the resource types. */
export function endpointsOf(registry: Registry): Endpoint[] {
  const places = registry.types.map(registry.get).flatMap(placesOf)
  return places.flatMap((place) =>
    (Object.keys(operations) as Operation[]).flatMap((operation) => {
      const { definition, declared } = place
      const rule = ruleOf(place, operation)
      const subject = declared && isRelated(operation) ? registry.get(declared.target) : definition
      // There are rules only for the operations of the place.
      return rule ? [{ ...place, operation, rule, subject } as Endpoint] : []
    }),
  )
}

/**
 * The rule of an operation; undefined if it is not implemented. Related resources can be read wherever the linkage can, by the same
 * callers. Removing `readOne` or `readMany` removes both endpoints.
 */
function ruleOf({ definition, declared }: Place, operation: Operation): OperationRule | undefined {
  const rules: Readonly<Partial<Record<Operation, OperationRule>>> = (declared ?? definition)
    .operations
  if (operation !== 'relatedOne' && operation !== 'relatedMany') {
    return rules[operation]
  }
  const linkage = rules[operation === 'relatedOne' ? 'readOne' : 'readMany']
  return linkage && { access: linkage.access }
}

/** The status and the headers of a successful answer. */
export type Success = ReturnType<typeof successOf>

/** The status and the headers of success: what the rule of the operation declares, or else the status of all such operations. */
export function successOf({ operation, rule }: Endpoint) {
  const status: number = rule.status ?? operations[operation].status
  return { status, headers: rule.headers ?? [] }
}

/**
 * The path of an endpoint below the root.
 *
 * @param id how the path spells the id: `:id` for a router, `{id}` for the interface description
 */
export function endpointPath({ definition, operation, relationship }: OperationAt, id: string) {
  const collection = `/${definition.type}`
  const item = hasId(operation) ? `${collection}/${id}` : collection
  return relationship === undefined
    ? item
    : `${item}${isRelated(operation) ? '' : '/relationships'}/${relationship}`
}

/** The name of an endpoint in the log: `articles.get`, `articles.authors.addMany`. */
export function endpointName({ definition, operation, relationship }: OperationAt): string {
  return [definition.type, relationship, operation].filter(Boolean).join('.')
}
