import type { Context, Env, Handler, Hono, NotFoundHandler } from 'hono'
import { methodsOf, type Operation, operations } from '../jsonapi/declare/operation.ts'
import { endpointPath, type Registry } from '../jsonapi/declare/registry.ts'
import { ApiError, quote } from '../jsonapi/problems.ts'
import { named } from './log.ts'
import { acceptedBodies } from './negotiate.ts'
import { errorResponse, responseOf } from './respond.ts'

// 404 and 405, `Allow`, and the answers to OPTIONS.

/** An operation at a path below the root, with `:id`. */
export interface ServedRoute {
  readonly method: string
  readonly path: string
  /** The JSON:API extension of bodies and answers. */
  readonly extension?: string
  readonly handler: Handler<Env>
}

/** Adds a page for GET and HEAD. `name` is its name in the log. */
export function addPage(app: Hono<Env>, name: string, path: string, ...page: Handler<Env>[]): void {
  app.all(path, named(name))
  app.on('GET', [path], ...page)
  app.all(path, otherMethods([{ method: 'GET' }]))
}

/** Adds routes. Also answers every other method at their paths, and at all other paths that types can have. */
export function addRoutes(
  app: Hono<Env>,
  registry: Registry,
  root: string,
  routes: readonly ServedRoute[],
): void {
  for (const { method, path, handler } of routes) {
    app.on(method, root + path, handler)
  }
  const possible = new Map<string, readonly string[]>(routes.map(({ path }) => [path, []]))
  for (const type of registry.types) {
    const definition = registry.get(type)
    const add = (operation: Operation, relationship?: string): void => {
      const path = endpointPath({ definition, operation, relationship }, ':id')
      possible.set(path, methodsOf(operations[operation].on))
    }
    add('list')
    add('get')
    for (const [name, { cardinality }] of Object.entries(definition.relationships)) {
      add(cardinality === 'one' ? 'readOne' : 'readMany', name)
      add('relatedOne', name)
    }
  }
  for (const [path, methods] of possible) {
    const implemented = routes.filter((route) => route.path === path)
    app.all(root + path, otherMethods(implemented, methods))
  }
}

/**
 * Answers OPTIONS with the methods that are implemented at a path. Any other method is a 404 if paths of this shape can have it, and
 * otherwise a 405.
 */
function otherMethods(
  implemented: readonly Pick<ServedRoute, 'method' | 'extension'>[],
  possible: readonly string[] = [],
): Handler<Env> {
  const methods = implemented.map(({ method }) => method)
  const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const Allow = [...allowed, 'OPTIONS'].join(', ')
  const bodies = acceptedBodies(methods, implemented[0]?.extension)
  return function otherMethods(c) {
    if (c.req.method === 'OPTIONS') {
      return responseOf(undefined, 204, { Allow, ...bodies })
    }
    const method = methodOf(c)
    if (possible.includes(method)) {
      return notImplemented(c)
    }
    const detail = `${method} is not supported here. Allowed: ${Allow}.`
    throw ApiError.of('METHOD_NOT_SUPPORTED', detail, undefined, { Allow })
  }
}

/** Answers 404 to a path without a route. The detail names the right path if the sent one is nearly that of an operation. */
export function notFound(root: string, routes: readonly ServedRoute[]): NotFoundHandler<Env> {
  const known = [{ method: 'GET', path: '' }, ...routes].map(({ method, path }) => ({
    method,
    words: (root + path).split('/'),
  }))
  return function notFound(c) {
    const { pathname } = new URL(c.req.url)
    const right =
      pathname.length > maxGuessedPath ? undefined : meantPath(known, methodOf(c), root, pathname)
    return notImplemented(c, right && `The right path is "${right}".`)
  }
}

/** Answers 404. It returns the error, because one that is thrown by Hono's handler of unknown paths bypasses the middleware. */
function notImplemented(c: Context<Env>, advice = ''): Response {
  const { pathname } = new URL(c.req.url)
  const detail = `${methodOf(c)} ${quote(pathname)} is not implemented. ${advice}`.trim()
  return errorResponse(c, ApiError.of('NOT_FOUND', detail))
}

/** The maximum length of a path for which the right one is looked for. */
const maxGuessedPath = 256

/** The path of an operation that differs only by a slash at its end, its case, the missing root or a singular. */
function meantPath(
  known: readonly { readonly method: string; readonly words: readonly string[] }[],
  method: string,
  root: string,
  pathname: string,
): string | undefined {
  const path = pathname.replace(/\/$/, '')
  for (const sent of [path.split('/'), (root + path).split('/')]) {
    const meant = known.find(
      (one) =>
        one.method === method &&
        one.words.length === sent.length &&
        one.words.every((word, index) => isMeant(word, sent[index])),
    )
    if (meant) {
      return meant.words.map((word, index) => (word === ':id' ? sent[index] : word)).join('/')
    }
  }
  return undefined
}

function isMeant(word: string, sent = ''): boolean {
  return word === ':id' ? sent !== '' : simplified(word) === simplified(sent)
}

/** A word in lower case, and as a singular if it is a plural. */
function simplified(word: string): string {
  return word.toLowerCase().replace(/ies$/, 'y').replace(/s$/, '')
}

/** The method of a request. HEAD counts as GET, because its answer has the same length. */
function methodOf(c: Context<Env>): string {
  return c.req.method === 'HEAD' ? 'GET' : c.req.method
}
