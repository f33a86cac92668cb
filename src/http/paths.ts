import type { Context, Env, Handler, Hono, NotFoundHandler } from 'hono'
import { operationsPath, transactionRule } from '../jsonapi/atomic/extension.ts'
import {
  methodsOf,
  type Operation,
  operations,
  type PathShape,
} from '../jsonapi/declare/operation.ts'
import { endpointPath, endpointsOf, type Registry } from '../jsonapi/declare/registry.ts'
import { type ResourceDefinition, ruleOf } from '../jsonapi/declare/resource.ts'
import { ApiError, quote } from '../jsonapi/errors.ts'
import { errorResponse } from './errors.ts'
import { acceptedBodies } from './negotiate.ts'
import { responseOf } from './respond.ts'
import { named } from './trace.ts'

/** Adds a page about the service at a path, for GET and HEAD. `name`: its name in the log. */
export function addPage(app: Hono<Env>, name: string, path: string, page: Handler<Env>): void {
  app.all(path, named(name))
  app.get(path, page)
  app.all(
    path,
    otherMethods(() => [...reading, 'OPTIONS']),
  )
}

/**
 * Adds a route for all other methods to every path of a resource type. It comes after the routes of the
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
 * Answers the methods that no other route of a path has: OPTIONS with the methods that are allowed there, one that paths of this shape
 * can have with 404, and any other with 405.
 *
 * @param extension the extension of the bodies at the path, if they have one
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
      return notImplemented(c)
    }
    const detail = `${method} is not supported here. Allowed: ${Allow}.`
    throw ApiError.of('METHOD_NOT_SUPPORTED', detail, undefined, { Allow })
  }
}

/** Answers 404 to a path without a route. Where the path is nearly that of an operation, the detail names the right one. */
export function notFound(registry: Registry, root: string): NotFoundHandler<Env> {
  const known = knownPaths(registry, root)
  return function notFound(c) {
    const { pathname } = new URL(c.req.url)
    const right =
      pathname.length > maxGuessedPath ? undefined : meantPath(known, bodyMethod(c), root, pathname)
    return notImplemented(c, right && `The right path is "${right}".`)
  }
}

/** Answers 404. It returns the error, because one that Hono's handler of unknown paths threw would bypass the middleware. */
function notImplemented(c: Context<Env>, advice = ''): Response {
  const { pathname } = new URL(c.req.url)
  const detail = `${bodyMethod(c)} ${quote(pathname)} is not implemented. ${advice}`.trim()
  return errorResponse(c, ApiError.of('NOT_FOUND', detail))
}

/** The length of the longest path for which the right one is looked for. */
const maxGuessedPath = 256

/** The path of an operation, split at its slashes. */
interface KnownPath {
  readonly method: string
  readonly names: readonly string[]
}

function knownPaths(registry: Registry, root: string): readonly KnownPath[] {
  const paths = endpointsOf(registry).map((endpoint) => ({
    method: operations[endpoint.operation].method as string,
    path: endpointPath(endpoint, ':id'),
  }))
  if (transactionRule(registry)) {
    paths.push({ method: 'POST', path: operationsPath })
  }
  return [{ method: 'GET', path: '' }, ...paths].map(({ method, path }) => ({
    method,
    names: (root + path).split('/'),
  }))
}

/** The path of an operation that differs only by a slash at its end, its case, the missing root or a singular. */
function meantPath(
  known: readonly KnownPath[],
  method: string,
  root: string,
  sent: string,
): string | undefined {
  const path = sent.replace(/\/$/, '')
  for (const words of [path.split('/'), (root + path).split('/')]) {
    const meant = known.find(
      (one) =>
        one.method === method &&
        one.names.length === words.length &&
        one.names.every((name, index) => isMeant(name, words[index])),
    )
    if (meant) {
      return meant.names.map((name, index) => (name === ':id' ? words[index] : name)).join('/')
    }
  }
  return undefined
}

function isMeant(name: string, word = ''): boolean {
  return name === ':id' ? word !== '' : simplified(name) === simplified(word)
}

/** A word in lower case, and as a singular where it is a plural. */
function simplified(word: string): string {
  return word.toLowerCase().replace(/ies$/, 'y').replace(/s$/, '')
}

/** The method whose body is made: the answer to a HEAD has the length of that to a GET. */
function bodyMethod(c: Context<Env>): string {
  return c.req.method === 'HEAD' ? 'GET' : c.req.method
}
