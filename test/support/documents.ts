import { Ajv2020 } from 'ajv/dist/2020.js'

/** A resource identifier, or the linkage-only half of a resource (JSON:API 1.1). */
export interface Identifier {
  readonly type: string
  readonly id: string
  readonly meta?: Readonly<Record<string, unknown>>
}

/** A relationship as a resource object shows it. */
interface RelationshipObject {
  readonly links?: Readonly<Record<string, string | null>>
  readonly data?: Identifier | readonly Identifier[] | null
}

/** A resource object as an answer holds it. */
export interface Resource extends Identifier {
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into values they know
  readonly attributes?: Readonly<Record<string, any>>
  readonly relationships?: Readonly<Record<string, RelationshipObject>>
  readonly links?: Readonly<Record<string, string | null>>
}

/** An error object. */
interface ErrorObject {
  readonly id: string
  readonly status: string
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly source?: {
    readonly parameter?: string
    readonly pointer?: string
    readonly header?: string
    readonly path?: string
  }
}

/** The meta of a page, nested and flat. */
export function pageMeta(pagination: Readonly<Record<string, string | number>>) {
  const flat = Object.entries(pagination).map(([name, value]) => [`pagination.${name}`, value])
  return { pagination, ...Object.fromEntries(flat) }
}

/** Any document of the service. */
export interface Document {
  readonly jsonapi: Readonly<Record<string, unknown>>
  // biome-ignore lint/suspicious/noExplicitAny: one resource or many, which the test knows
  readonly data?: any
  readonly included?: readonly Resource[]
  readonly errors?: readonly ErrorObject[]
  /** The results of a transaction (https://jsonapi.org/ext/atomic). */
  readonly 'atomic:results'?: readonly { readonly data?: Resource }[]
  readonly links?: Readonly<Record<string, string | null>>
  readonly meta?: Readonly<Record<string, unknown>>
}

const string = { type: 'string' }
const object = (properties: object, ...required: readonly string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const name = {
  pattern: '^[A-Za-z0-9\\u0080-\\uffff]([-\\w \\u0080-\\uffff]*[A-Za-z0-9\\u0080-\\uffff])?$',
}
/** An object with any members that have valid names. */
const named = (additionalProperties: object, propertyNames: object = name) => ({
  type: 'object',
  propertyNames,
  additionalProperties,
})
/** The attributes or the relationships of a resource. */
const fields = (values: object) => ({ ...named(values), properties: { type: false, id: false } })
const links = (...names: readonly string[]) =>
  object(Object.fromEntries(names.map((name) => [name, { type: ['string', 'null'] }])))
const listOf = (items: object) => ({ type: 'array', items })

const values = { $ref: '#/$defs/values' }
const pages = ['first', 'last', 'prev', 'next']
const identifier = object({ type: string, id: string, meta: named(values) }, 'type', 'id')
const relationship = object({
  links: links('self', 'related', ...pages),
  data: { anyOf: [{ type: 'null' }, identifier, listOf(identifier)] },
  meta: named(values),
})
const resource = object(
  {
    type: string,
    id: string,
    attributes: fields(values),
    relationships: fields({ ...relationship, minProperties: 1 }),
    links: links('self'),
    meta: named(values),
  },
  'type',
  'id',
)
const error = object({
  ...{ id: string, code: string, title: string, detail: string },
  status: { type: 'string', pattern: '^[45]\\d\\d$' },
  source: object({ pointer: string, parameter: string, header: string, path: string }),
})

/** The documents of JSON:API 1.1, as far as this service makes them: https://jsonapi.org/format/1.1/#document-structure. */
const schema = {
  ...object({
    jsonapi: object({ version: { const: '1.1' }, ext: listOf(string) }),
    data: { anyOf: [{ type: 'null' }, resource, listOf(resource)] },
    errors: { ...listOf(error), minItems: 1 },
    // The one conflict: a full stop is no character of a member name.
    meta: named(values, { anyOf: [name, { pattern: '^pagination\\.\\w+$' }] }),
    links: links('self', 'related', 'describedby', ...pages),
    included: listOf(resource),
  }),
  oneOf: [
    { required: ['data'] },
    { required: ['errors'] },
    { required: ['meta'], not: { anyOf: [{ required: ['data'] }, { required: ['errors'] }] } },
  ],
  dependentRequired: { included: ['data'] },
  $defs: {
    values: { propertyNames: name, additionalProperties: values, items: values },
  },
}

const isDocument = new Ajv2020({ strict: false, validateFormats: false }).compile<Document>(schema)

/**
 * The document of an answer.
 *
 * @throws Error when the text is no JSON:API 1.1 document
 */
export function documentOf(text: string): Document {
  const document = JSON.parse(text)
  if ('atomic:results' in document) {
    // The schema knows no extension; each result with data is like a document of its own.
    const { 'atomic:results': results, jsonapi, ...rest } = document
    if (Object.keys(rest).length > 0) {
      throw new Error(`Not the document of a transaction: ${text}`)
    }
    for (const result of results) {
      documentOf(
        JSON.stringify('data' in result ? { jsonapi, ...result } : { jsonapi, meta: result }),
      )
    }
    return document
  }
  if (!isDocument(document)) {
    const faults = isDocument.errors?.map(
      ({ instancePath, message }) => `${instancePath} ${message}`,
    )
    throw new Error(`Not a JSON:API document: ${faults?.join('; ')}\n${text}`)
  }
  const { data = null, included = [] } = document
  const resources: readonly Resource[] = [data ?? [], included].flat()
  const relationships = resources.flatMap((one) => Object.values(one.relationships ?? {}))
  for (const list of [data, included, ...relationships.map((one) => one.data)]) {
    const names = [list ?? []].flat().map(({ type, id }) => `${type} ${id}`)
    if (new Set(names).size < names.length) {
      throw new Error(`Something stands twice in a list of a document: ${text}`)
    }
  }
  return document
}
