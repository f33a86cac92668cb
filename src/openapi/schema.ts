import * as z from 'zod'
import type { Schema } from '../jsonapi/validate.ts'

/** A Schema Object (OpenAPI 3.0.1, "Schema Object"), or a reference to one. */
export type SchemaObject = Readonly<Record<string, unknown>>

/** The side of a schema to describe: the values that requests send, or the values that answers hold. */
export type Side = 'input' | 'output'

/**
 * What `.meta` of a schema can tell for the description beside the members of JSON Schema: a sentence that holds for values in
 * requests only, and ids of demo resources that nobody misses, which examples delete, one each.
 */
interface ForDescription {
  inRequests?: string
  expendable?: readonly string[]
}

/**
 * Describes a Zod schema. `.meta` of the schema describes what Zod cannot tell of its refinements. Objects in answers may have
 * further members, because a later version may add some; objects in requests may not.
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

/** Changes each schema inside a schema, of a member or of an item, by `change`. */
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

/** The examples that a schema declares. */
export function examplesOf(schema: Schema): readonly unknown[] {
  return (z.globalRegistry.get(schema)?.examples as readonly unknown[] | undefined) ?? []
}

/** The ids that examples may delete, one each, as the schema of an id declares them. */
export function expendableIds(schema: Schema | undefined): readonly string[] {
  const about = (schema && z.globalRegistry.get(schema)) as ForDescription | undefined
  return about?.expendable ?? []
}

/** The schema of an object with these members and any others. */
export function object(
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = [],
): SchemaObject {
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

/** The schema of a string that is one of these values. */
export function oneOf(values: readonly unknown[]): SchemaObject {
  return { type: 'string', enum: values }
}

/** A valid example of a schema, made from the examples of its parts; undefined when they have none. */
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

/** Turns a JSON Schema into a schema of OpenAPI 3.0, and removes members that admit no value. */
function adapt(schema: z.core.JSONSchema.BaseSchema & ForDescription, side: Side): void {
  const { examples, inRequests, properties = {} } = schema
  delete schema.expendable
  if (inRequests !== undefined) {
    delete schema.inRequests
    schema.description += side === 'input' ? ` ${inRequests}` : ''
  }
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
    // A stored value may be older than a pattern, so that answers promise none.
    delete schema.pattern
    delete schema.additionalProperties
  }
}
