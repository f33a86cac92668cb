import type { Context, Env, Handler, Hono } from 'hono'
import { endpointPath, operationsPath, transactionRule } from '../jsonapi/declare/endpoint.ts'
import {
  methodsOf,
  type Operation,
  operations,
  type PathShape,
} from '../jsonapi/declare/operation.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { type ResourceDefinition, ruleOf } from '../jsonapi/declare/resource.ts'
import { ApiError } from '../jsonapi/errors.ts'
import { atomicExtension } from '../jsonapi/request/media-type.ts'
import { quote } from '../jsonapi/wording.ts'
import { errorResponse } from './errors.ts'
import { acceptedBodies } from './negotiate.ts'
import { responseOf } from './respond.ts'
import { named } from './trace.ts'

/** Adds a page about the service at a path, which takes GET and HEAD. `name`: its name in the log. */
export function addPage(app: Hono<Env>, name: string, path: string, page: Handler<Env>): void {
  app.all(path, named(name))
  app.get(path, page)
  app.all(path, otherMethods(['GET', 'HEAD', 'OPTIONS']))
}

/**
 * Adds a route for all other methods to every path of a known shape (contract, section 1). It comes after the routes of the
 * operations.
 */
export function addOtherMethods(app: Hono<Env>, registry: Registry, root: string): void {
  for (const type of registry.types) {
    const definition = registry.get(type)
    addAt(app, root, definition, ['collection', 'item'])
    for (const [name, { cardinality }] of Object.entries(definition.relationships)) {
      addAt(app, root, definition, [cardinality === 'one' ? 'toOne' : 'toMany', 'related'], name)
    }
  }
  if (transactionRule(registry)) {
    app.all(root + operationsPath, otherMethods(['POST', 'OPTIONS'], [], atomicExtension))
  }
}

function addAt(
  app: Hono<Env>,
  root: string,
  definition: ResourceDefinition,
  shapes: readonly PathShape[],
  relationship?: string,
): void {
  for (const shape of shapes) {
    const those = operationNames.filter((name) => operations[name].on === shape)
    const methods = those
      .filter((operation) => ruleOf(definition, operation, relationship))
      .map((operation) => operations[operation].method)
    const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    const handler = otherMethods([...allowed, 'OPTIONS'], methodsOf(shape))
    const paths = those.map((operation) =>
      endpointPath({ definition, operation, relationship }, ':id'),
    )
    for (const path of new Set(paths)) {
      app.all(root + path, handler)
    }
  }
}

const operationNames = Object.keys(operations) as Operation[]

/**
 * Answers the methods that no other route of a path takes: OPTIONS with the methods that are allowed there, one that the shape of the
 * path can take with 404, and any other with 405.
 *
 * @param extension the extension of the bodies that the path takes, if they have one
 */
function otherMethods(
  allowed: readonly string[],
  possible: readonly string[] = [],
  extension?: string,
): Handler<Env> {
  const Allow = allowed.join(', ')
  return function otherMethods(c) {
    if (c.req.method === 'OPTIONS') {
      const bodies = Object.entries(acceptedBodies(allowed, extension))
      return responseOf(undefined, 204, [['Allow', Allow], ...bodies])
    }
    const method = bodyMethod(c)
    if (possible.includes(method)) {
      return notFound(c)
    }
    const detail = `${method} is not supported here. Allowed: ${Allow}.`
    throw ApiError.of('METHOD_NOT_SUPPORTED', detail, undefined, { Allow })
  }
}

/** Answers 404. It returns the error, because one that Hono's handler of unknown paths threw would bypass the middleware. */
export function notFound(c: Context<Env>): Response {
  const { pathname } = new URL(c.req.url)
  const detail = `${bodyMethod(c)} ${quote(pathname)} is not implemented.`
  return errorResponse(c, ApiError.of('NOT_FOUND', detail))
}

/** The method whose answer has the body that is made: to a HEAD, the length of the body for a GET is told (contract, section 1). */
function bodyMethod(c: Context<Env>): string {
  return c.req.method === 'HEAD' ? 'GET' : c.req.method
}
