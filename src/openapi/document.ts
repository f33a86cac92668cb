import { maxQueryLength } from '../jsonapi/request/query-parameters.ts'
import { callersOf, securityOf, securitySchemes } from './access.ts'
import type { Draft } from './components.ts'
import type { Part } from './json-schema.ts'
import type { OperationSpec } from './operations.ts'
import { headerParameters } from './requests.ts'
import { responsesOf } from './responses.ts'

/** What the description says about a service beside its resource types. */
export interface About {
  readonly title: string
  readonly version: string
  /** Markdown. */
  readonly description: string
  readonly contact?: { readonly name: string; readonly url: string }
  readonly license: { readonly name: string; readonly url: string }
  /** The scopes of persons' tokens, each with what it allows an application. */
  readonly scopes: Readonly<Record<string, string>>
}

/** The URLs that differ between deployments. */
export interface Addresses {
  /** The URL of the root path. */
  readonly server: string
  /** The URL below which `/authorize` and `/token` are. */
  readonly authUrl: string
}

/** Makes the interface description of a service, an OpenAPI 3.0.1 document, from its operations. */
export function openApi(
  draft: Draft,
  operations: readonly OperationSpec[],
  about: About,
  { server, authUrl }: Addresses,
) {
  const { scopes, description, ...info } = about
  const paths: Record<string, Part> = {}
  for (const operation of operations) {
    const { path, method } = operation
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(draft, operation) }
  }
  return {
    openapi: '3.0.1',
    info: { ...info, description: `${description}\n\n${general}` },
    servers: [{ url: server }],
    tags: [...new Map(operations.map(({ tag }) => [tag.name, tag])).values()],
    paths,
    components: { ...draft.components, securitySchemes: securitySchemes(authUrl, scopes) },
  }
}

/** Describes an operation (OpenAPI 3.0.1, "Operation Object"). */
function operationObject(draft: Draft, operation: OperationSpec): Part {
  const { operationId, tag, summary, about, notes, access, body } = operation
  const optional = draft.optionalHeaders(operation)
  const advice = optional.flatMap(({ advice }) => advice ?? [])
  const callers = `Callers: ${callersOf(access) || 'any valid access token'}.`
  return {
    operationId,
    tags: [tag.name],
    summary,
    description: [[about, ...advice].join(' '), ...notes, callers].join('\n\n'),
    security: securityOf(access),
    parameters: [
      ...operation.parameters,
      ...optional.flatMap(({ parameters }) => headerParameters(draft, parameters)),
    ],
    ...(body && { requestBody: { required: true, content: body } }),
    responses: responsesOf(draft, operation),
  }
}

/** The part of the description of a service that holds for every operation. */
const general = `
## Requests

Bodies and answers are \`application/vnd.api+json\` (JSON:API 1.1). A query parameter that is unknown or sent twice is refused, and so
is a query string of more than ${maxQueryLength} characters. Members of bodies whose names begin with \`@\` are ignored.

## Tokens

Every operation needs \`Authorization: Bearer <token>\`. Fields that the caller may not see are missing from an answer. The
descriptions of attributes and relationships say who sees them.

## Pages

Follow \`links.next\` until it is null. Links are paths that keep all other parameters.

## Errors

An error answer has all faults that validation found, each with a \`code\` and a \`detail\`. Its \`source\` says where the fault is.

## Limits

Each caller has a bucket of tokens, and each request costs some. The \`X-RateLimit\` headers say how many are left. A 429 costs
nothing. Its \`Retry-After\` says how many seconds to wait.
`.trim()
