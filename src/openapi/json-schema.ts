import * as z from 'zod/mini'
import { withExtension } from '../jsonapi/json.ts'
import type { Schema } from '../jsonapi/zod.ts'

/** Any object of a description. */
export type Part = Readonly<Record<string, unknown>>

/** A Schema Object (OpenAPI 3.0.1, "Schema Object"), or a reference to one. */
export interface SchemaObject extends Part {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly example?: unknown
  readonly enum?: readonly unknown[]
  readonly items?: SchemaObject
  readonly properties?: Readonly<Record<string, SchemaObject>>
  readonly required?: readonly string[]
}

/** The side of a schema to describe: the values that requests send, or the values that answers hold. */
export type Side = 'input' | 'output'

/**
 * Describes a Zod schema. Its `.meta` describes refinements, which Zod cannot. Objects in answers may have further members, because a
 * later version may add some. Objects in requests may not.
 */
export function schemaObject(schema: Schema, side: Side): SchemaObject {
  return z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: side,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => adapt(jsonSchema, side),
  }) as SchemaObject
}

/** Turns a JSON Schema into a schema of OpenAPI 3.0. `inRequests` of its `.meta` is a sentence that holds for values in requests only. */
function adapt(schema: z.core.JSONSchema.BaseSchema & { inRequests?: string }, side: Side): void {
  const { examples, inRequests = '', properties } = schema
  if (side === 'input' && inRequests) {
    schema.description += ` ${inRequests}`
  }
  if (examples) {
    schema.example = examples[0]
  }
  if (schema.type === 'integer') {
    schema.format = 'int64'
    if (schema.maximum === Number.MAX_SAFE_INTEGER) {
      delete schema.maximum
    }
  }
  // Zod says `nullable` beside the values, and JSON Schema allows none but those.
  if (schema.nullable && schema.enum && !schema.enum.includes(null)) {
    schema.enum = [...schema.enum, null]
  }
  if (properties && Object.keys(properties).length === 0) {
    delete schema.properties
  }
  if (side === 'output') {
    // A stored value may be older than a pattern, so answers promise none.
    delete schema.pattern
    delete schema.additionalProperties
  }
  delete schema.examples
  delete schema.inRequests
}

/** What a body of JSON:API holds, by its media type. */
export function jsonApiContent(held: Part, extension?: string): Part {
  return { [withExtension(extension)]: held }
}

/** A record with `change` applied to each member. */
export function mapRecord<Value, Changed>(
  record: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Changed,
): Readonly<Record<string, Changed>> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, change(value, name)]),
  )
}

/** The schema of an object with these members and any others. */
export function object(
  properties: Readonly<Record<string, SchemaObject>>,
  required: readonly string[] = [],
): SchemaObject {
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

/** The examples that `.meta` of a schema declares. */
export function examplesIn(schema: Schema | undefined): readonly unknown[] {
  const { examples = [] } = (schema && z.globalRegistry.get(schema)) ?? {}
  return examples as readonly unknown[]
}

/** A valid example of a schema, made from the examples of its parts; undefined if they have none. */
export function exampleOf({ example, enum: values, items, properties }: SchemaObject): unknown {
  if (example !== undefined || values) {
    return example ?? values?.[0]
  }
  if (items) {
    const item = exampleOf(items)
    return item === undefined ? undefined : [item]
  }
  const members = Object.entries(mapRecord(properties ?? {}, exampleOf)).filter(
    ([, member]) => member !== undefined,
  )
  return members.length > 0 ? Object.fromEntries(members) : undefined
}
