import type { SchemaObject as JsonSchema } from 'ajv'

/** A Schema Object. */
export interface SchemaObject extends JsonSchema {
  readonly items?: SchemaObject
  readonly properties?: Readonly<Record<string, SchemaObject>>
}

/** A Parameter Object. */
export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: SchemaObject
  readonly [member: string]: unknown
}

/** A Media Type Object. */
interface MediaType {
  readonly schema: SchemaObject
  readonly example?: unknown
}

/** The one media type of a body, by its name. */
type Content = Readonly<Record<string, MediaType>>

/**
 * What is described of the one media type of a body.
 *
 * @throws Error where there is another number of them
 */
export function contentOf(content: Content): MediaType & { readonly name: string } {
  const [[name, described] = [], ...others] = Object.entries(content)
  if (name === undefined || !described || others.length > 0) {
    throw new Error(`There is not one media type: ${Object.keys(content)}`)
  }
  return { ...described, name }
}

/** A Response Object. */
interface Response {
  readonly description: string
  readonly headers: Readonly<
    Record<string, { readonly required?: boolean; readonly schema: SchemaObject }>
  >
  readonly content?: Content
}

/** An Operation Object. */
interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly required: true; readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
}

/** An operation with where it is: path below the root, method in capitals, the parameters of the path among its own. */
export interface DescribedOperation extends Operation {
  readonly path: string
  readonly method: string
}

/** An interface description as tests read it. */
export type Described = ReturnType<typeof readDescription>

/** Reads a description from its JSON, as its recipient does. */
export function readDescription(made: object) {
  const document = JSON.parse(JSON.stringify(made))
  /** What a reference leads to, or the thing itself. */
  function resolved<Thing>(thing: Thing | { readonly $ref: string }): Thing {
    const { $ref } = thing as { readonly $ref?: string }
    return $ref === undefined
      ? (thing as Thing)
      : $ref
          .slice(2)
          .split('/')
          .reduce((node, name) => node[name], document)
  }
  /** The described operations, references to parameters, headers and responses followed. */
  const described = Object.entries<Record<string, unknown>>(document.paths).flatMap(
    ([path, { parameters: shared = [], ...methods }]) =>
      Object.entries(methods).map(([method, operation]): DescribedOperation => {
        const { parameters = [], responses, ...rest } = operation as Operation
        const answers = Object.entries(responses).map(([status, response]) => {
          const { headers = {}, ...answer } = resolved<Response>(response)
          const all = Object.entries(headers).map(([name, header]) => [name, resolved(header)])
          return [status, { ...answer, headers: Object.fromEntries(all) }]
        })
        return {
          path,
          method: method.toUpperCase(),
          ...rest,
          parameters: [...(shared as Parameter[]), ...parameters].map((one) =>
            resolved<Parameter>(one),
          ),
          responses: Object.fromEntries(answers),
        }
      }),
  )
  return {
    document,
    operations: described,
    /** The operation with an id. */
    operationOf: (id: string) => described.find(({ operationId }) => operationId === id),
    resolved,
  }
}
