import { replayedHeader } from '../jsonapi/request/idempotency-key.ts'
import type { Components } from './components.ts'
import type { SchemaObject } from './schema.ts'

/** Headers that a service has beside those of the protocol: descriptions by name. */
export interface ServiceHeaders {
  /** On every answer. */
  readonly always: Readonly<Record<string, string>>
  /** Integers (int32) on every answer that went through the rate limiter. */
  readonly limit: Readonly<Record<string, string>>
  /** Given on successful answers, and brought back by later requests. */
  readonly session: Readonly<Record<string, string>>
}

/** Describes the response headers of one service. */
export interface DescribeHeaders {
  readonly always: readonly string[]
  readonly limit: readonly string[]
  readonly session: readonly string[]
  /** Headers by name; those that every such answer carries are described once and referred to. */
  readonly describe: (names: readonly string[], certain?: boolean) => SchemaObject
}

/** Makes the describer of a service. */
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
  Allow: string('The methods that the path takes.'),
  'Cache-Control': string('Who may keep the answer, and for how long.'),
  ETag: string(
    'Names the answer, for `If-None-Match`, and the state of the resource that it is about, for `If-Match`.',
  ),
  [replayedHeader]: {
    description:
      'Nothing was written: an earlier request with the same `Idempotency-Key` has done it, and this is what it made, as it is now.',
    schema: { type: 'string', enum: ['true'] },
  },
  Location: string('The path of the new resource.'),
  'Retry-After': integer('Seconds to wait before the next try.'),
  'WWW-Authenticate': string('What is wrong with the token, and where the resource metadata is.'),
}
