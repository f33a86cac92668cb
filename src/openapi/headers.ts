import { replayedHeader } from '../jsonapi/request/idempotency-key.ts'
import type { Components } from './components.ts'
import type { SchemaObject } from './schema.ts'

/** The headers of a service beside those of the protocol: their descriptions by name. */
export interface ServiceHeaders {
  /** Headers of every answer. */
  readonly always: Readonly<Record<string, string>>
  /** Integer headers (int32) of every answer that went through the rate limiter. */
  readonly limit: Readonly<Record<string, string>>
  /** Headers of successful answers that later requests send back. */
  readonly session: Readonly<Record<string, string>>
}

/** Describes the response headers of one service. */
export interface DescribeHeaders {
  readonly always: readonly string[]
  readonly limit: readonly string[]
  readonly session: readonly string[]
  /** Describes headers by their names. Headers that every such answer has are described once and referred to. */
  readonly describe: (names: readonly string[], certain?: boolean) => SchemaObject
}

/** Makes the describer of the headers of a service. */
export function headerDescriber(
  components: Components,
  { always, limit, session }: ServiceHeaders,
): DescribeHeaders {
  const added = [
    ...Object.entries(limit).map(([name, text]) => [name, integer(text, 'int32')] as const),
    ...Object.entries({ ...always, ...session }).map(
      ([name, text]) => [name, string(text)] as const,
    ),
  ]
  const all: Readonly<Record<string, SchemaObject>> = { ...headers, ...Object.fromEntries(added) }
  const one = (name: string, certain: boolean) => {
    const described = all[name] ?? string('')
    return certain
      ? components.use('headers', name, () => ({ ...described, required: true }))
      : described
  }
  return {
    always: Object.keys(always),
    limit: Object.keys(limit),
    session: Object.keys(session),
    describe: (names, certain = true) =>
      Object.fromEntries(names.map((name) => [name, one(name, certain)])),
  }
}

function string(description: string): SchemaObject {
  return { description, schema: { type: 'string' } }
}

function integer(description: string, format: 'int32' | 'int64' = 'int64'): SchemaObject {
  return { description, schema: { type: 'integer', format, minimum: 0 } }
}

/** The headers of the protocol (RFC 9110; RFC 6750). */
const headers: Readonly<Record<string, SchemaObject>> = {
  'Accept-Encoding': string('`identity`: bodies are not compressed. In an answer to one that is.'),
  'Accept-Patch': string('The media type of bodies. In an answer to a PATCH.'),
  'Accept-Post': string('The media type of bodies. In an answer to a POST.'),
  Allow: string('The methods that the path takes.'),
  'Cache-Control': string('Who may store the answer, and for how long.'),
  ETag: string(
    'Names the bytes of the answer for `If-None-Match` and, in an answer to the owner of its resource, the state of the resource for `If-Match`.',
  ),
  [replayedHeader]: {
    description:
      'This request has written nothing, because an earlier one with the same `Idempotency-Key` has. The answer shows what that one created as it is now.',
    schema: { type: 'string', enum: ['true'] },
  },
  Location: string('The path of the new resource.'),
  'Retry-After': integer('The seconds to wait before the next attempt.'),
  'WWW-Authenticate': string('What is wrong with the token, and the URL of the resource metadata.'),
}
