import { type Endpoint, endpointPath, endpointsOf } from '../jsonapi/declare/endpoint.ts'
import { operations } from '../jsonapi/declare/operation.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { queryRules } from '../jsonapi/request/parameters.ts'
import { securityOf, securitySchemes } from './access.ts'
import { createComponents } from './components.ts'
import type { Examples } from './examples.ts'
import { headerDescriber, type ServiceHeaders } from './headers.ts'
import { operationId } from './operation-id.ts'
import { parametersOf } from './parameters.ts'
import { requestBody } from './requests.ts'
import { responsesOf } from './responses.ts'
import type { SchemaObject } from './schema.ts'
import type { Scope } from './schemas.ts'
import { general, textsOf } from './texts.ts'
import { transactionPath, transactionTag } from './transactions.ts'

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
  /** Recorded answers. Without them the description has no examples of answers. */
  readonly examples?: Examples
}

/** Makes the interface description of a service, an OpenAPI 3.0.1 document, from its resource types (contract, section 19). */
export function openApi(
  registry: Registry,
  about: About,
  { server, authUrl, headers, examples }: Surroundings,
) {
  const { scopes, description, ...info } = about
  const components = createComponents()
  const scope: Scope = { registry, components, examples }
  const describer = headerDescriber(components, headers)
  const session = Object.entries(headers.session).map(([name, text]) =>
    components.use('parameters', name, () => ({
      name,
      in: 'header',
      description: text,
      schema: { type: 'string' },
    })),
  )
  const paths: Record<string, SchemaObject> = {}
  for (const endpoint of endpointsOf(registry)) {
    const path = endpointPath(endpoint, '{id}')
    paths[path] = {
      ...(session.length > 0 && { parameters: session }),
      ...paths[path],
      [operations[endpoint.operation].method.toLowerCase()]: operationObject(endpoint),
    }
  }
  const transactions = transactionPath(scope, describer, session)
  if (transactions) {
    const [path, item] = transactions
    paths[path] = item
  }
  function operationObject(endpoint: Endpoint): SchemaObject {
    const parameters = parametersOf(scope, endpoint)
    const body = requestBody(scope, endpoint)
    return {
      operationId: operationId(endpoint),
      tags: [endpoint.definition.type],
      ...textsOf(endpoint, queryRules(registry, endpoint)),
      security: securityOf(endpoint.rule.access),
      ...(parameters.length > 0 && { parameters }),
      ...(body && { requestBody: body }),
      responses: responsesOf(scope, endpoint, describer),
    }
  }
  return {
    openapi: '3.0.1',
    info: { ...info, description: `${description}\n\n${general}` },
    servers: [{ url: server }],
    tags: [
      ...registry.types.map((type) => ({
        name: type,
        description: registry.get(type).description,
      })),
      ...(transactions
        ? [{ name: transactionTag, description: 'Several writes as one transaction.' }]
        : []),
    ],
    paths,
    components: { ...components.used, securitySchemes: securitySchemes(authUrl, scopes) },
  }
}
