import type { SchemaObject } from './schema.ts'

/** Members of a description that hold values of the service and no schemas. */
const values: ReadonlySet<string> = new Set(['example', 'examples', 'enum', 'default'])

/** Members of a schema that hold schemas by name. */
const named: ReadonlySet<string> = new Set(['properties', 'schemas'])

/**
 * Turns a description into OpenAPI 3.1, whose schemas are JSON Schema 2020-12: the same operations and the same schemas. Objects in
 * requests take @-Members (JSON:API 1.1, "@-Members") by a pattern there, for which OpenAPI 3.0 has no member.
 */
export function version31<Description extends SchemaObject>(description: Description) {
  return { ...(changed(description, false) as Description), openapi: '3.1.0' }
}

/** Changes every schema within a part of a description. */
function changed(part: unknown, isSchema: boolean): unknown {
  if (Array.isArray(part)) {
    return part.map((item) => changed(item, isSchema))
  }
  if (typeof part !== 'object' || part === null) {
    return part
  }
  const members = Object.entries(part).map(([name, member]) => {
    if (values.has(name)) {
      return [name, member]
    }
    return [name, named.has(name) ? byName(member) : changed(member, isSchema || name === 'schema')]
  })
  const same = Object.fromEntries(members)
  return isSchema ? schema31(same) : same
}

function byName(schemas: SchemaObject): SchemaObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, changed(schema, true)]),
  )
}

/** One schema of JSON Schema 2020-12, its parts unchanged. */
function schema31({ nullable, example, ...schema }: SchemaObject): SchemaObject {
  return {
    ...schema,
    ...(nullable === true && { type: [schema.type, 'null'] }),
    ...(example !== undefined && { examples: [example] }),
    ...(schema.additionalProperties === false && { patternProperties: { '^@': {} } }),
  }
}
