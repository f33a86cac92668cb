import { mediaType } from '../../../src/jsonapi/json.ts'
import { conformity } from './conformity.ts'
import { description, description31, operations } from './openapi.ts'
import { contentOf, type DescribedOperation, type SchemaObject } from './read-description.ts'

/** Header names are in lower case, as Node tells them. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Checks an answer of the service against its description: the operation has the status, the answer has the headers
 * that it must have and no others, and its document the schema, with no member that is not described. Paths that are no endpoints
 * pass, and so do 404s and 405s of what is not implemented, if their documents are those of errors.
 *
 * @param path as it was sent, with its query
 * @param document parsed; undefined where there is none
 * @throws Error that names the operation, the status and the first faults
 */
export function checkResponse(
  method: string,
  path: string,
  status: number,
  headers: Headers,
  document: unknown,
): void {
  const at = operationsAt(path)
  const operation = at.find((one) => one.method === (method === 'HEAD' ? 'GET' : method))
  const label = `${method} ${path}: ${status}`
  if (!operation || isElsewhere(status, document)) {
    if (document !== undefined && at.length > 0) {
      demand(status === 404 || status === 405, `${label} at a path that has no such operation`)
    }
    if (document !== undefined && (status === 404 || status === 405)) {
      conform(bodyOf(`Error${status}`), document, label)
    }
    return
  }
  const response = operation.responses[status]
  demand(response, `${label} is not described in ${operation.operationId}`)
  for (const [name, { required, schema }] of Object.entries(response.headers)) {
    const value = headers[name.toLowerCase()]
    demand(value !== undefined || !required, `${label} has no ${name}`)
    if (value !== undefined) {
      conform(schema, schema.type === 'integer' ? Number(value) : String(value), `${label} ${name}`)
    }
  }
  const names = Object.keys(response.headers).map((name) => name.toLowerCase())
  const unknown = Object.keys(headers).filter((name) => !names.includes(name) && !isGeneral(name))
  demand(unknown.length === 0, `${label} has headers that are not described: ${unknown}`)
  const described = response.content && contentOf(response.content)
  if (method === 'HEAD' || !described?.name.startsWith(mediaType)) {
    demand(document === undefined, `${label} has a document`)
    const type = headers['content-type']
    const isAsDescribed = method === 'HEAD' || !described || type === described.name
    demand(isAsDescribed, `${label} is ${type}, not ${described?.name}`)
    return
  }
  demand(document !== undefined, `${label} has no document`)
  conform(described.schema, document, label)
}

/**
 * Checks that the description allows a body which the service has accepted. Where an operation takes none, any passes.
 *
 * @param body JSON as text or bytes, or what it says
 * @throws Error that names the operation and the first faults
 */
export function checkRequest(method: string, path: string, body: unknown): void {
  const operation = operationsAt(path).find((one) => one.method === method)
  const described = operation?.requestBody
  if (described) {
    const label = `The body of ${method} ${path}`
    const sent = JSON.parse(textOf(body))
    conform(contentOf(described.content).schema, sent, label)
    const in31 = description31.operations.find((one) => one.operationId === operation.operationId)
    conform31(contentOf(in31?.requestBody?.content ?? {}).schema, sent, label)
  }
}

/** Headers that are no part of the interface: those of the connection, of the body and of CORS. */
function isGeneral(name: string): boolean {
  return /^(connection|content-length|content-type|date|keep-alive|transfer-encoding)$|^access-control-/.test(
    name,
  )
}

/** The operations at a path, none when it is no endpoint's. */
function operationsAt(path: string): readonly DescribedOperation[] {
  const [pathname = ''] = path.split('?', 1)
  return operations.filter(({ path: template }) => {
    const pattern = `/jsonapi${template}`.replaceAll('.', '\\.').replace('{id}', '[^/]+')
    return new RegExp(`^${pattern}$`).test(pathname)
  })
}

/** Does a Worker with another root path say that the path does not exist? A 404 of a resource has a source. */
function isElsewhere(status: number, document: unknown): boolean {
  const { errors } = (document ?? {}) as { readonly errors?: readonly { source?: unknown }[] }
  return status === 404 && errors?.[0]?.source === undefined
}

function bodyOf(response: string): SchemaObject {
  return description.components.responses[response].content['application/vnd.api+json'].schema
}

function textOf(body: unknown): string {
  if (body instanceof Uint8Array) {
    return new TextDecoder().decode(body)
  }
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function demand(fact: unknown, complaint: string): asserts fact {
  if (!fact) {
    throw new Error(complaint)
  }
}

const conform = conformity(description)
const conform31 = conformity(description31.document)
