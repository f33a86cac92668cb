import { mapRecord, type Part } from './json-schema.ts'

/** Members of a description that hold values of the service and no schemas. */
const values: ReadonlySet<string> = new Set(['example', 'examples', 'enum', 'default'])

/** Members that hold schemas by name. */
const named: ReadonlySet<string> = new Set(['properties', 'schemas'])

/**
 * Turns a description into OpenAPI 3.1, whose schemas are JSON Schema 2020-12: the same operations and the same schemas. Objects in
 * requests allow @-Members (JSON:API 1.1, "@-Members") by a pattern, which OpenAPI 3.0 cannot express.
 */
export function version31<Description extends Part>(description: Description) {
  return { ...(change(description, false) as Description), openapi: '3.1.0' }
}

/** Changes every schema within a part of a description. */
function change(part: unknown, isSchema: boolean): unknown {
  if (Array.isArray(part)) {
    return part.map((item) => change(item, isSchema))
  }
  if (typeof part !== 'object' || part === null) {
    return part
  }
  const members = mapRecord(part as Part, (member, name) => {
    if (values.has(name)) {
      return member
    }
    return named.has(name)
      ? mapRecord(member as Part, (schema) => change(schema, true))
      : change(member, isSchema || name === 'schema')
  })
  if (!isSchema) {
    return members
  }
  const { nullable, example, ...schema } = members
  return {
    ...schema,
    ...(nullable === true && { type: [schema.type, 'null'] }),
    ...(example !== undefined && { examples: [example] }),
    ...(schema.additionalProperties === false && { patternProperties: { '^@': {} } }),
  }
}
