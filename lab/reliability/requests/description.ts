import { Ajv } from 'ajv'
import { send } from '../../../test/fuzz/send.ts'
import type { Schema } from '../../../test/fuzz/values.ts'

/** The media type of requests and answers. */
export const mediaType = 'application/vnd.api+json'

/** The media type of transactions (contract, section 13). */
export const atomicType = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema: Schema
  readonly allowEmptyValue?: boolean
  readonly example?: unknown
}

/** A documented answer. */
interface Documented {
  readonly headers: Readonly<
    Record<string, { readonly required?: boolean; readonly schema: Schema }>
  >
  /** Media type of the body; absent where there is none. */
  readonly mediaType?: string
  /** What is wrong with a body; nothing where it is as documented. */
  readonly judge: (body: unknown) => string | undefined
}

/** An operation as the interface description has it. */
export interface Operation {
  readonly id: string
  readonly method: string
  /** Path template below the root. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body?: { readonly schema: Schema; readonly isValid: (body: unknown) => boolean }
  /** May a client's token be used? */
  readonly takesClients: boolean
  /** Scopes that a person's token needs. */
  readonly scopes: readonly string[]
  readonly responses: Readonly<Record<string, Documented>>
}

// biome-ignore lint/suspicious/noExplicitAny: a document of another's making
type Json = any

/**
 * Reads the service's own interface description.
 *
 * @param root URL of the root path
 */
export async function readDescription(origin: string, root: string): Promise<readonly Operation[]> {
  const { text } = await send(origin, { method: 'GET', path: `${root}/oas`, headers: [] })
  const document: Json = JSON.parse(text)
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false })
  ajv.addSchema(JSON.parse(text.replaceAll('"#/', '"oas#/')), 'oas')

  function follow(value: Json): Json {
    return typeof value?.$ref === 'string'
      ? follow(
          value.$ref
            .slice(2)
            .split('/')
            .reduce((node: Json, key: string) => node[key], document),
        )
      : value
  }
  function resolve(value: Json): Json {
    const found = follow(value)
    return typeof found !== 'object' || found === null
      ? found
      : Array.isArray(found)
        ? found.map(resolve)
        : Object.fromEntries(Object.entries(found).map(([name, member]) => [name, resolve(member)]))
  }
  function validator(schema: Json): (body: unknown) => string | undefined {
    const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"oas#/')))
    return (body) =>
      validate(body) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'body' })
  }
  function documented(response: Json): Documented {
    const { headers = {}, content = {} } = follow(response)
    const [mediaType] = Object.keys(content)
    return {
      headers: resolve(headers),
      ...(mediaType !== undefined && { mediaType }),
      judge: mediaType === undefined ? () => undefined : validator(content[mediaType].schema),
    }
  }

  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([, operation]) => operation.operationId !== undefined)
      .map(([method, operation]): Operation => {
        const [content] = Object.values<Json>(follow(operation.requestBody)?.content ?? {})
        const judge = content && validator(content.schema)
        return {
          id: operation.operationId,
          method: method.toUpperCase(),
          path,
          parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve),
          ...(content && {
            body: {
              schema: resolve(content.schema),
              isValid: (body: unknown) => judge(body) === undefined,
            },
          }),
          takesClients: operation.security.some((needed: object) => 'Client_Credentials' in needed),
          scopes: operation.security.flatMap((needed: object) => Object.values(needed).flat()),
          responses: Object.fromEntries(
            Object.entries(operation.responses).map(([status, response]) => [
              status,
              documented(response),
            ]),
          ),
        }
      }),
  )
}
