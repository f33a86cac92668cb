import * as z from 'zod'
import type { Schema } from '../jsonapi/validate.ts'

/** A Schema Object (OpenAPI 3.0.1, "Schema Object"), or a reference to one. */
export type SchemaObject = Readonly<Record<string, unknown>>

/** What is described: values as they are sent, or what validation makes of them, which is what answers hold. */
export type Side = 'input' | 'output'

/**
 * Describes a Zod schema. Where a refinement says what Zod cannot tell, `.meta` says it. Objects in answers stay
 * open, since a later version may add members; those in requests take no others.
 */
export function schemaObject(schema: Schema, side: Side): SchemaObject {
  const { '~standard': _, ...described } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: side,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => adapt(jsonSchema, side),
  })
  return described
}

/** The schema with each schema in it, of a member or an item, as `change` makes it. */
export function mapSchemas(
  schema: SchemaObject,
  change: (part: SchemaObject) => SchemaObject,
): SchemaObject {
  const { properties, items } = schema as Described
  const changed = Object.entries(properties ?? {}).map(([name, part]) => [name, change(part)])
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(changed) }),
    ...(items && { items: change(items) }),
  }
}

/** The examples that a schema was declared with. */
export function examplesOf(schema: Schema): readonly unknown[] {
  return (z.globalRegistry.get(schema)?.examples as readonly unknown[] | undefined) ?? []
}

/** An object with these members and any others. */
export function object(
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = [],
): SchemaObject {
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

/** A string that can only be one of these. */
export function oneOf(values: readonly unknown[]): SchemaObject {
  return { type: 'string', enum: values }
}

/** An example that a schema admits, as far as its parts have examples; undefined when none has. */
export function exampleOf(schema: SchemaObject): unknown {
  const { example, enum: values, items, properties } = schema as Described
  if (example !== undefined || values) {
    return example ?? values?.[0]
  }
  if (items) {
    const item = exampleOf(items)
    return item === undefined ? undefined : [item]
  }
  const members = Object.entries(properties ?? {})
    .map(([name, member]) => [name, exampleOf(member)] as const)
    .filter(([, member]) => member !== undefined)
  return members.length > 0 ? Object.fromEntries(members) : undefined
}

interface Described {
  readonly example?: unknown
  readonly enum?: readonly unknown[]
  readonly items?: SchemaObject
  readonly properties?: Readonly<Record<string, SchemaObject>>
}

/** Turns JSON Schema into what OpenAPI 3.0 has in its place, and leaves out members that admit nothing. */
function adapt(schema: z.core.JSONSchema.BaseSchema, side: Side): void {
  const { examples, properties = {} } = schema
  if (examples) {
    schema.example = examples[0]
    delete schema.examples
  }
  if (schema.type === 'integer') {
    schema.format = 'int64'
    if (schema.maximum === Number.MAX_SAFE_INTEGER) {
      delete schema.maximum
    }
  }
  for (const [name, member] of Object.entries(properties)) {
    if (typeof member === 'object' && member.not) {
      delete properties[name]
    }
  }
  if (Object.keys(properties).length === 0) {
    delete schema.properties
  }
  if (side === 'output') {
    // What is stored may be older than a pattern.
    delete schema.pattern
    delete schema.additionalProperties
  }
}
