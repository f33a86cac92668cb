import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { ErrorCode } from '../jsonapi/problems.ts'
import { mapRecord, type Part, type SchemaObject, type Side } from './json-schema.ts'

/** The headers of a service beside those of the protocol: their descriptions by name. */
export interface ServiceHeaders {
  /** Headers of every answer. */
  readonly always: Readonly<Record<string, string>>
  /** Integer headers (int32) of every answer that went through the rate limiter. */
  readonly limit: Readonly<Record<string, string>>
  /** Headers that a request and its answer can have. */
  readonly optional: readonly OptionalHeaders[]
}

/** Headers that a request can send, and headers that a successful answer can have. */
export interface OptionalHeaders {
  readonly parameters: Readonly<Record<string, Part>>
  readonly headers: Readonly<Record<string, Part>>
  /** Which operations have them; all if absent. */
  readonly isOn?: (operation: OperationKind) => boolean
  /** A sentence for callers of these operations. */
  readonly advice?: string
  /** The code of the error that a wrong header ends in, beside those of a 400. */
  readonly fault?: ErrorCode
}

/** What decides which optional headers an operation has. */
export interface OperationKind {
  readonly method: string
  /** Can it create resources? If it is sent again, it could create them again. */
  readonly creates: boolean
}

/** The sections of `components` that this description uses (OpenAPI 3.0.1, "Components Object"). */
type Section = 'schemas' | 'parameters' | 'headers' | 'responses'

/** A description in the making: what it is made from, and the components that its parts share. */
export type Draft = ReturnType<typeof createDraft>

/**
 * Begins a description.
 *
 * @param expendable the ids of resources that nobody misses, by type: the examples of deletes name them
 */
export function createDraft(
  registry: Registry,
  headers: ServiceHeaders,
  expendable: Readonly<Record<string, string>> = {},
) {
  const components: Partial<Record<Section, Record<string, Part>>> = {}
  return { registry, headers, expendable, components, optionalHeaders, use, share, extract }

  /** The optional headers of an operation. */
  function optionalHeaders(operation: OperationKind): readonly OptionalHeaders[] {
    return headers.optional.filter(({ isOn }) => !isOn || isOn(operation))
  }

  /** Returns the reference to a component, and describes the component at its first use. */
  function use(section: Section, name: string, describe: () => Part): SchemaObject {
    const described = components[section] ?? {}
    components[section] = described
    if (!Object.hasOwn(described, name)) {
      // The name is taken before the component is described, because schemas may refer to each other.
      described[name] = {}
      described[name] = describe()
    }
    return { $ref: `#/components/${section}/${name}` }
  }

  /** Returns the reference to a component, or the part itself if the component of that name differs from it. */
  function share(section: Section, name: string, part: Part): Part {
    const reference = use(section, name, () => part)
    return JSON.stringify(components[section]?.[name]) === JSON.stringify(part) ? reference : part
  }

  /**
   * Replaces each part of a schema that has a title by a reference. The part becomes a component with the title as its name.
   * `Input` is added to the names of objects in requests, because these take no other members, while those in answers may.
   *
   * @throws Error if two different schemas have one title
   */
  function extract(schema: SchemaObject, side: Side): SchemaObject {
    const { properties, items } = schema
    const { title, ...rest }: SchemaObject = {
      ...schema,
      ...(properties && { properties: mapRecord(properties, (part) => extract(part, side)) }),
      ...(items && { items: extract(items, side) }),
    }
    if (title === undefined) {
      return rest
    }
    const name = side === 'input' && rest.type === 'object' ? `${title}Input` : title
    const reference = share('schemas', name, rest)
    if (reference === rest) {
      throw new Error(`Two schemas have the title ${name}`)
    }
    return reference
  }
}

/** A name whose first letter is a capital, to be a part of a longer name. */
export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The name of a type in longer names: `User`. */
export function typeName({ type, singular = type }: ResourceDefinition): string {
  return capitalize(singular)
}
