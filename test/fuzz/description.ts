import {
  contentOf,
  type Described,
  type Parameter,
  readDescription,
} from '../http/description/read-description.ts'
import { send } from './send.ts'
import type { Schema } from './values.ts'

/** The media type of requests and answers. */
export const mediaType = 'application/vnd.api+json'

/** The media type of transactions. */
export const atomicType = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`

/** An operation as the interface description has it, references followed. */
export interface Operation {
  readonly id: string
  readonly method: string
  /** Path template below the root. */
  readonly path: string
  readonly parameters: readonly (Pick<Parameter, 'name' | 'in'> & { readonly schema: Schema })[]
  readonly body?: { readonly schema: Schema }
  /** May a client's token be used? */
  readonly takesClients: boolean
  /** Scopes that a person's token needs. */
  readonly scopes: readonly string[]
  /** By status. */
  readonly responses: Readonly<Record<string, unknown>>
}

/** Reads the service's own interface description. */
export async function operationsOf(origin: string, root: string): Promise<readonly Operation[]> {
  const { text } = await send(origin, { method: 'GET', path: `${root}/oas`, headers: [] })
  return operationsIn(readDescription(JSON.parse(text)))
}

/** The operations of an interface description. */
export function operationsIn({ operations, resolved }: Described): readonly Operation[] {
  const inlined = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return Array.isArray(value) ? value.map(inlined) : value
    }
    const found = resolved(value)
    return Object.fromEntries(
      Object.entries(found).map(([name, member]) => [name, inlined(member)]),
    )
  }
  return operations.map(
    ({ operationId: id, method, path, parameters, requestBody, security, responses }) => ({
      id,
      method,
      path,
      parameters: inlined(parameters) as Operation['parameters'],
      ...(requestBody && {
        body: { schema: inlined(contentOf(requestBody.content).schema) as Schema },
      }),
      takesClients: security.some((needed) => 'Client_Credentials' in needed),
      scopes: security.flatMap((needed) => Object.values(needed).flat()),
      responses,
    }),
  )
}
