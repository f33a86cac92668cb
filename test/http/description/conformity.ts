import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js'
import type { SchemaObject } from './read-description.ts'

const formats = {
  int32: {
    type: 'number' as const,
    validate: (value: number) => value >= -(2 ** 31) && value < 2 ** 31,
  },
  int64: { type: 'number' as const, validate: Number.isSafeInteger },
  email: /^[^@\s]+@[^@\s]+$/,
  'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
  uri: URL.canParse,
  'uri-reference': (text: string) => URL.canParse(text, 'https://host.example'),
}

/**
 * Makes the check of values against schemas of a description, to whose components they may refer.
 *
 * @returns throws an Error that begins with `label` and names the first faults, where a value is not as described
 */
export function conformity(description: {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}): (schema: SchemaObject, value: unknown, label: string) => void {
  const ajv = new Ajv2019({ strict: false, allErrors: true, ownProperties: true, formats })
  // Each component is compiled once, whatever refers to it.
  for (const [name, schema] of Object.entries(description.components.schemas)) {
    ajv.addSchema(closed(schema) as object, `#/components/schemas/${name}`)
  }
  const validators = new Map<SchemaObject, ValidateFunction>()
  return (schema, value, label) => {
    const known = validators.get(schema)
    const validate = known ?? ajv.compile(closed(schema))
    validators.set(schema, validate)
    if (!validate(value)) {
      const faults = validate.errors?.slice(0, 5).map(({ instancePath, message, params }) => {
        return `${instancePath || '/'} ${message} ${JSON.stringify(params)}`
      })
      throw new Error(
        `${label} is not as described: ${faults?.join('; ')}\n${JSON.stringify(value)}`,
      )
    }
  }
}

/**
 * A schema of OpenAPI 3.0 or 3.1, which Ajv takes as it is. Answers may grow in later versions; this one has to describe all that it
 * says, so objects with described members are closed here, each together with what `allOf` adds to it. What stands in
 * `allOf` itself narrows what is described elsewhere, at any depth, and stays open.
 */
function closed<Part>(schema: Part, isOpen = false): Part {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    return Array.isArray(schema) ? (schema.map((item) => closed(item, isOpen)) as Part) : schema
  }
  const keywords = Object.entries(schema).map(([name, value]) => [
    name,
    name === 'enum' ? value : closed(value, isOpen || name === 'allOf'),
  ])
  const isClosed = !isOpen && ('allOf' in schema || isObject(schema))
  return {
    ...Object.fromEntries(keywords),
    ...(isClosed && { unevaluatedProperties: false }),
  }
}

function isObject({ type, properties, additionalProperties }: SchemaObject): boolean {
  return (
    [type].flat().includes('object') &&
    properties !== undefined &&
    additionalProperties === undefined
  )
}
