import type { ResourceDefinition } from '../declare/resource.ts'
import type { Schema } from '../validate.ts'

/** The fields that were asked for, by name: `all` for a whole field, or a tree of its members. */
export type FieldTree = ReadonlyMap<string, FieldTree | 'all'>

/**
 * Every name that `fields[type]` takes: attributes, relationships, and dotted names of members of objects and of objects in
 * arrays (contract, section 6).
 */
export function fieldNames({ attributes, relationships }: ResourceDefinition): string[] {
  const nested = Object.entries(attributes).flatMap(([name, { schema }]) => [
    name,
    ...memberNames(schema()).map((member) => `${name}.${member}`),
  ])
  return [...nested, ...Object.keys(relationships)]
}

/** Turns dotted names into a tree. A whole field takes precedence over its members. */
export function fieldTree(names: readonly string[]): FieldTree {
  const heads = new Map<string, string[] | 'all'>()
  for (const name of names) {
    const dot = name.indexOf('.')
    const head = dot < 0 ? name : name.slice(0, dot)
    const members = heads.get(head)
    if (dot < 0) {
      heads.set(head, 'all')
    } else if (members !== 'all') {
      heads.set(head, [...(members ?? []), name.slice(dot + 1)])
    }
  }
  return new Map(
    [...heads].map(([head, members]) => [head, members === 'all' ? members : fieldTree(members)]),
  )
}

function memberNames(schema: Schema): string[] {
  const def = schema._zod.def as SchemaDefinition
  if (def.type === 'object') {
    return Object.entries(def.shape).flatMap(([name, member]) => [
      name,
      ...memberNames(member).map((nested) => `${name}.${nested}`),
    ])
  }
  const inner = def.type === 'array' ? def.element : 'innerType' in def ? def.innerType : undefined
  return inner ? memberNames(inner) : []
}

/** The kinds of Zod schema that attributes use and that hold other schemas. */
type SchemaDefinition =
  | { readonly type: 'object'; readonly shape: Readonly<Record<string, Schema>> }
  | { readonly type: 'array'; readonly element: Schema }
  | { readonly type: 'optional' | 'nullable'; readonly innerType: Schema }
  | { readonly type: 'string' | 'number' | 'boolean' | 'enum' }
