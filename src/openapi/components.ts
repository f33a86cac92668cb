import type { Registry } from '../jsonapi/declare/registry.ts'
import { mapped, type SchemaObject, type SchemaParts, type Side } from './schema.ts'

/** What the parts of a description are made from, and the components that collect what they share. */
export interface Scope {
  readonly registry: Registry
  readonly headers: ServiceHeaders
  readonly components: Components
}

/** The headers of a service beside those of the protocol: their descriptions by name. */
export interface ServiceHeaders {
  /** Headers of every answer. */
  readonly always: Readonly<Record<string, string>>
  /** Integer headers (int32) of every answer that went through the rate limiter. */
  readonly limit: Readonly<Record<string, string>>
  /** Headers of successful answers that later requests send back. */
  readonly session: Readonly<Record<string, string>>
  /** How a request that creates something can be sent again: its header, that of the answer, and advice. It cannot if absent. */
  readonly repeat?: {
    readonly parameters: Readonly<Record<string, SchemaObject>>
    readonly headers: Readonly<Record<string, SchemaObject>>
    readonly advice: string
  }
}

/** The sections of `components` that this description uses (OpenAPI 3.0.1, "Components Object"). */
type Section = 'schemas' | 'parameters' | 'headers' | 'responses'

/** A Reference Object. */
export type Reference = { readonly $ref: string }

/** The parts of the description that are described once and referred to by name. */
export interface Components {
  /** Gives the reference to a component, and describes the component at its first use. */
  use(section: Section, name: string, describe: () => SchemaObject): Reference
  /** Gives the reference to a component, or the object itself where the component of that name differs from it. */
  shared(section: Section, name: string, object: SchemaObject): SchemaObject
  /**
   * Replaces each part of a schema that has a title by a reference. The part becomes a component with the title as its name.
   * `Input` is added to the names of objects in requests, because these take no other members, while those in answers may.
   *
   * @throws Error when two different schemas have one title
   */
  named(schema: SchemaObject, side: Side): SchemaObject
  /** The components that have been used so far. */
  readonly used: Readonly<Partial<Record<Section, Readonly<Record<string, SchemaObject>>>>>
}

/** Makes an empty collection of components. */
export function createComponents(): Components {
  const used: Partial<Record<Section, Record<string, SchemaObject>>> = {}
  function use(section: Section, name: string, describe: () => SchemaObject): Reference {
    const described = used[section] ?? {}
    used[section] = described
    if (!Object.hasOwn(described, name)) {
      // The name is taken before the component is described, because schemas may refer to each other.
      described[name] = {}
      described[name] = describe()
    }
    return { $ref: `#/components/${section}/${name}` }
  }
  function shared(section: Section, name: string, object: SchemaObject): SchemaObject {
    const reference = use(section, name, () => object)
    return JSON.stringify(used[section]?.[name]) === JSON.stringify(object) ? reference : object
  }
  function named(schema: SchemaObject, side: Side): SchemaObject {
    const { properties, items }: SchemaParts = schema
    const { title, ...rest }: SchemaObject = {
      ...schema,
      ...(properties && { properties: mapped(properties, (part) => named(part, side)) }),
      ...(items && { items: named(items, side) }),
    }
    if (typeof title !== 'string') {
      return rest
    }
    const name = side === 'input' && rest.type === 'object' ? `${title}Input` : title
    const reference = shared('schemas', name, rest)
    if (reference === rest) {
      throw new Error(`Two schemas have the title ${name}`)
    }
    return reference
  }
  return { used, use, shared, named }
}
