import { operations } from '../jsonapi/declare/operation.ts'
import { endpointPath, endpointsOf, type Registry } from '../jsonapi/declare/registry.ts'
import { maxQueryLength, queryRules } from '../jsonapi/request/query-parameters.ts'
import { securityOf, securitySchemes } from './access.ts'
import { createComponents, type Scope, type ServiceHeaders } from './components.ts'
import { type DescribeErrors, type Errors, errorDescriber, errorsOf } from './errors.ts'
import { operationId, textsOf } from './operations.ts'
import { parametersOf } from './parameters.ts'
import { requestBody } from './requests.ts'
import { successResponses } from './responses.ts'
import type { SchemaObject } from './schema.ts'

/** What the description says about a service beside its resource types. */
export interface About {
  readonly title: string
  readonly version: string
  /** Markdown. */
  readonly description: string
  readonly contact?: { readonly name: string; readonly url: string }
  readonly externalDocs?: { readonly description: string; readonly url: string }
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

/** The URLs of a service, and what the layers around the protocol add to the description. */
export interface Surroundings extends Addresses {
  readonly headers: ServiceHeaders
}

/** An operation that no type declares, with a tag of its own. */
export interface FurtherOperation {
  readonly path: string
  readonly method: string
  readonly tag: { readonly name: string; readonly description: string }
  readonly errors: Errors
  readonly describe: (scope: Scope, errors: ReturnType<DescribeErrors>) => SchemaObject
}

/** Makes the interface description of a service, an OpenAPI 3.0.1 document, from its resource types and its further operations. */
export function openApi(
  registry: Registry,
  about: About,
  { server, authUrl, headers }: Surroundings,
  further: readonly FurtherOperation[],
) {
  const { scopes, description, externalDocs, ...info } = about
  const components = createComponents()
  const scope: Scope = { registry, headers, components }
  const session = Object.entries(headers.session).map(([name, text]) =>
    components.use('parameters', name, () => ({
      name,
      in: 'header',
      description: text,
      schema: { type: 'string' },
    })),
  )
  const describeErrors = errorDescriber(
    scope,
    further.map(({ errors }) => errors),
  )
  const paths: Record<string, SchemaObject> = {}
  const add = (path: string, method: string, operation: SchemaObject): void => {
    paths[path] = {
      ...(session.length > 0 && { parameters: session }),
      ...paths[path],
      [method.toLowerCase()]: operation,
    }
  }
  for (const endpoint of endpointsOf(registry)) {
    const parameters = parametersOf(scope, endpoint)
    const body = requestBody(scope, endpoint)
    add(endpointPath(endpoint, '{id}'), operations[endpoint.operation].method, {
      operationId: operationId(endpoint),
      tags: [endpoint.definition.type],
      ...textsOf(endpoint, queryRules(registry, endpoint), headers.repeat?.advice),
      security: securityOf(endpoint.rule.access),
      parameters,
      ...(body && { requestBody: body }),
      responses: { ...successResponses(scope, endpoint), ...describeErrors(errorsOf(endpoint)) },
    })
  }
  const tags = registry.types.map((type) => ({
    name: type,
    description: registry.get(type).description,
  }))
  for (const { path, method, tag, errors, describe } of further) {
    add(path, method, describe(scope, describeErrors(errors)))
    tags.push(tag)
  }
  return {
    openapi: '3.0.1',
    info: { ...info, description: `${description}\n\n${general}` },
    ...(externalDocs && { externalDocs }),
    servers: [{ url: server }],
    tags,
    paths,
    components: { ...components.used, securitySchemes: securitySchemes(authUrl, scopes) },
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
