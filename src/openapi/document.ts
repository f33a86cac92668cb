import { operations } from '../jsonapi/declare/operation.ts'
import {
  endpointPath,
  endpointsOf,
  operationsPath,
  type Registry,
  transactionRule,
} from '../jsonapi/declare/registry.ts'
import { longestQuery, queryRules } from '../jsonapi/request/parameters.ts'
import { securityOf, securitySchemes } from './access.ts'
import { createComponents, type Scope, type ServiceHeaders } from './components.ts'
import { errorDescriber } from './errors.ts'
import { operationId, textsOf } from './operations.ts'
import { parametersOf } from './parameters.ts'
import { requestBody } from './requests.ts'
import { successResponses } from './responses.ts'
import type { SchemaObject } from './schema.ts'
import { transactionOperation, transactionTag } from './transactions.ts'

/** What the description tells about a service beside its resource types. */
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

/** The URLs of a service, and what the layers around the protocol add to the description. */
export interface Surroundings extends Addresses {
  readonly headers: ServiceHeaders
}

/** Makes the interface description of a service, an OpenAPI 3.0.1 document, from its resource types (contract, section 19). */
export function openApi(
  registry: Registry,
  about: About,
  { server, authUrl, headers }: Surroundings,
) {
  const { scopes, description, ...info } = about
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
  const errors = errorDescriber(scope)
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
      ...textsOf(endpoint, queryRules(registry, endpoint)),
      security: securityOf(endpoint.rule.access),
      parameters,
      ...(body && { requestBody: body }),
      responses: { ...successResponses(scope, endpoint), ...errors(endpoint) },
    })
  }
  const tags = registry.types.map((type) => ({
    name: type,
    description: registry.get(type).description,
  }))
  const transactions = transactionRule(registry)
  if (transactions) {
    add(operationsPath, 'POST', transactionOperation(scope, transactions, errors))
    tags.push({ name: transactionTag, description: 'Several writes as one transaction.' })
  }
  return {
    openapi: '3.0.1',
    info: { ...info, description: `${description}\n\n${general}` },
    servers: [{ url: server }],
    tags,
    paths,
    components: { ...components.used, securitySchemes: securitySchemes(authUrl, scopes) },
  }
}

/** The part of the description of a service that holds for every operation. */
export const general = `
## Requests

Bodies and answers are \`application/vnd.api+json\` (JSON:API 1.1). HEAD is answered like GET, and OPTIONS says
which methods a path takes. A query parameter that is unknown or sent twice is refused, and so is
a query string of more than ${longestQuery} characters, percent-encoded: a 400 without a \`source\`, told alone. Objects in
bodies may hold members whose names begin with \`@\`, which are ignored. The schemas of OpenAPI 3.1 (\`/oas?version=3.1\`)
admit them; those of 3.0 cannot.

## Tokens

Every operation takes \`Authorization: Bearer <token>\`. Fields that the caller may not see are missing from an
answer. The descriptions of attributes and relationships say who sees them. A caller whom the operator of the service has blocked
gets a 403 from every operation.

## Pages

Follow \`links.next\` until it is null. Links are paths that keep all other parameters.

## Errors

An error answer holds all faults that validation found, each with a \`code\`, a \`detail\` and, where it is known, a
\`source\`. Where faults have different statuses, the answer is a 400, and each fault keeps its own \`status\`.

## Limits

Each caller has a bucket of tokens, and each request takes some. The \`X-RateLimit\` headers tell how many are left. Each path
of \`include\`, and each path on the way to it, costs as much again as a read: times 4 for each step to many resources that are
read from the database, times 2 for each step to many reference data, which are in memory. The first of these steps is free
where one resource is asked for. A 429 costs nothing, and its \`Retry-After\` tells how many seconds to wait.
`.trim()
