import type { Context, Env, Handler, Hono } from 'hono'
import {
  methodsOf,
  type Operation,
  operations,
  type PathShape,
} from '../jsonapi/declare/operation.ts'
import { endpointPath, type Registry } from '../jsonapi/declare/registry.ts'
import { type ResourceDefinition, ruleOf } from '../jsonapi/declare/resource.ts'
import { ApiError, quote } from '../jsonapi/errors.ts'
import { errorResponse } from './errors.ts'
import { acceptedBodies } from './negotiate.ts'
import { responseOf } from './respond.ts'
import { named } from './trace.ts'

/** Adds a page about the service at a path, which takes GET and HEAD. `name`: its name in the log. */
export function addPage(app: Hono<Env>, name: string, path: string, page: Handler<Env>): void {
  app.all(path, named(name))
  app.get(path, page)
  app.all(
    path,
    otherMethods(() => [...reading, 'OPTIONS']),
  )
}

/**
 * Adds a route for all other methods to every path of a resource type (contract, section 1). It comes after the routes of the
 * operations.
 */
export function addOtherMethods(app: Hono<Env>, registry: Registry, root: string): void {
  for (const type of registry.types) {
    const definition = registry.get(type)
    const add = (operation: Operation, relationship?: string): void => {
      const { on } = operations[operation]
      app.all(
        root + endpointPath({ definition, operation, relationship }, ':id'),
        otherMethods(() => methodsAt(definition, on, relationship), methodsOf(on)),
      )
    }
    add('list')
    add('get')
    for (const [name, { cardinality }] of Object.entries(definition.relationships)) {
      add(cardinality === 'one' ? 'readOne' : 'readMany', name)
      add('relatedOne', name)
    }
  }
}

/** The methods that are implemented on a path. */
function methodsAt(
  definition: ResourceDefinition,
  shape: PathShape,
  relationship: string | undefined,
): string[] {
  const implemented = (Object.keys(operations) as Operation[]).filter(
    (name) => operations[name].on === shape && ruleOf(definition, name, relationship),
  )
  const methods = implemented.map((name) => operations[name].method)
  return [...methods.flatMap((method) => (method === 'GET' ? reading : [method])), 'OPTIONS']
}

const reading = ['GET', 'HEAD']

/**
 * Answers the methods that no other route of a path takes: OPTIONS with the methods that are allowed there, one that the shape of the
 * path can take with 404, and any other with 405.
 *
 * @param extension the extension of the bodies that the path takes, if they have one
 */
export function otherMethods(
  allowed: () => readonly string[],
  possible: readonly string[] = [],
  extension?: string,
): Handler<Env> {
  return function otherMethods(c) {
    const methods = allowed()
    const Allow = methods.join(', ')
    if (c.req.method === 'OPTIONS') {
      const bodies = Object.entries(acceptedBodies(methods, extension))
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
