import {
  contentOf,
  type Described,
  type DescribedOperation,
  readDescription,
  type SchemaObject,
} from '../http/description/read-description.ts'
import { send } from './send.ts'

/** The media type of requests and answers. */
export const mediaType = 'application/vnd.api+json'

/** The media type of transactions. */
export const atomicType = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`

/** An operation as the interface description has it, references in its parameters and its body followed. */
export interface Operation extends DescribedOperation {
  readonly body?: { readonly schema: SchemaObject }
  /** May a client's token be used? */
  readonly takesClients: boolean
  /** Scopes that a person's token needs. */
  readonly scopes: readonly string[]
}

/** Reads the service's own interface description. */
export async function operationsOf(origin: string, root: string): Promise<readonly Operation[]> {
  const { text } = await send(origin, { method: 'GET', path: `${root}/oas`, headers: [] })
  return operationsIn(readDescription(JSON.parse(text)))
}

/** The operations of an interface description. */
export function operationsIn({ operations, resolved }: Described): readonly Operation[] {
  const inlined = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value, (_, member) => member && resolved(member)))
  return operations.map((operation) => ({
    ...operation,
    parameters: inlined(operation.parameters),
    ...(operation.requestBody && { body: inlined(contentOf(operation.requestBody.content)) }),
    takesClients: operation.security.some((needed) => 'Client_Credentials' in needed),
    scopes: operation.security.flatMap((needed) => Object.values(needed).flat()),
  }))
}
