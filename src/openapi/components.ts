import { mapSchemas, type SchemaObject, type Side } from './schema.ts'

/** The sections of `components` that this description uses (OpenAPI 3.0.1, "Components Object"). */
type Section = 'schemas' | 'parameters' | 'headers' | 'responses'

/** A Reference Object. */
export type Reference = { readonly $ref: string }

/** What is described once and referred to by name. */
export interface Components {
  /** Refers to a component; describes it when it is first referred to. */
  use(section: Section, name: string, describe: () => SchemaObject): Reference
  /**
   * The schema with a reference in place of each part that has a title, which becomes a component of that name. An object
   * that requests take has `Input` behind its title: it takes no other members, where one of an answer may have more.
   *
   * @throws Error when two different schemas have one title
   */
  named(schema: SchemaObject, side: Side): SchemaObject
  /** Every component referred to so far. */
  readonly used: Readonly<Partial<Record<Section, Readonly<Record<string, SchemaObject>>>>>
}

/** A collection without components. */
export function createComponents(): Components {
  const used: Partial<Record<Section, Record<string, SchemaObject>>> = {}
  function use(section: Section, name: string, describe: () => SchemaObject): Reference {
    const named = used[section] ?? {}
    used[section] = named
    if (!Object.hasOwn(named, name)) {
      // Taken before it is described, since schemas may refer to each other.
      named[name] = {}
      named[name] = describe()
    }
    return { $ref: `#/components/${section}/${name}` }
  }
  function named(schema: SchemaObject, side: Side): SchemaObject {
    const { title, ...rest } = mapSchemas(schema, (part) => named(part, side))
    if (typeof title !== 'string') {
      return rest
    }
    const name = side === 'input' && rest.type === 'object' ? `${title}Input` : title
    const reference = use('schemas', name, () => rest)
    if (JSON.stringify(used.schemas?.[name]) !== JSON.stringify(rest)) {
      throw new Error(`Two schemas have the title ${name}`)
    }
    return reference
  }
  return { used, use, named }
}
