import type { SchemaObject } from './schema.ts'

/** The sections of `components` that this description uses (OpenAPI 3.0.1, "Components Object"). */
type Section = 'schemas' | 'parameters' | 'headers' | 'responses'

/** A Reference Object. */
export type Reference = { readonly $ref: string }

/** What is described once and referred to by name. */
export interface Components {
  /** Refers to a component; describes it when it is first referred to. */
  use(section: Section, name: string, describe: () => SchemaObject): Reference
  /** Every component referred to so far. */
  readonly used: Readonly<Partial<Record<Section, Readonly<Record<string, SchemaObject>>>>>
}

/** A collection without components. */
export function createComponents(): Components {
  const used: Partial<Record<Section, Record<string, SchemaObject>>> = {}
  return {
    used,
    use(section, name, describe) {
      const named = used[section] ?? {}
      used[section] = named
      if (!Object.hasOwn(named, name)) {
        // Taken before it is described, since schemas may refer to each other.
        named[name] = {}
        named[name] = describe()
      }
      return { $ref: `#/components/${section}/${name}` }
    },
  }
}
