import { readFileSync } from 'node:fs'
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

const schema = JSON.parse(
  readFileSync(new URL('jsonapi-schema/schema.json', import.meta.url), 'utf8'),
)
// The one conflict: the flat meta keys hold a full stop, which the schema refuses.
schema.definitions.meta.properties = {
  'pagination.totalItems': { type: 'integer' },
  'pagination.nextCursor': { type: 'string' },
}

const isDocument = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)

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
  return document as Document
}
