import type { Context, Env, Handler, Hono, NotFoundHandler } from 'hono'
import { methodsOf, operations } from '../jsonapi/declare/operation.ts'
import { endpointPath, placesOf, type Registry } from '../jsonapi/declare/registry.ts'
import { ApiError, quote } from '../jsonapi/problems.ts'
import { nameOperation } from './log.ts'
import { acceptedBodies } from './negotiate.ts'
import { errorResponse, responseOf } from './respond.ts'

// 404 and 405, `Allow`, and the answers to OPTIONS.

/** An operation at a path below the root, with `:id`. */
export interface ServedRoute {
  readonly method: string
  readonly path: string
  /** The JSON:API extension of bodies and answers. */
  readonly extension?: string
  /** The media type of answers other than errors, if it is not JSON:API. */
  readonly mediaType?: string
  readonly handler: Handler<Env>
}

/** Adds a page for GET and HEAD. `name` is its name in the log. */
export function addPage(app: Hono<Env>, name: string, path: string, ...page: Handler<Env>[]): void {
  app.all(path, nameOperation(name))
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
  for (const place of registry.types.map(registry.get).flatMap(placesOf)) {
    const linkage = place.declared?.cardinality === 'one' ? 'readOne' : 'readMany'
    const reads = place.declared ? ([linkage, 'relatedOne'] as const) : (['list', 'get'] as const)
    for (const operation of reads) {
      const path = endpointPath({ ...place, operation }, ':id')
      possible.set(path, methodsOf(operations[operation].on))
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
  const known = [{ method: 'GET', path: '' }, ...routes].map(({ method, path }) => {
    const words = (root + path).split('/')
    const likely = words.map((word) => (word === ':id' ? '[^/]+' : simplify(word))).join('/')
    return { method, words, pattern: new RegExp(`^${likely}$`) }
  })
  return function notFound(c) {
    const path = new URL(c.req.url).pathname.replace(/\/$/, '')
    for (const sent of path.length > maxGuessedPath ? [] : [path, root + path]) {
      const likely = simplify(sent)
      const meant = known.find((one) => one.method === methodOf(c) && one.pattern.test(likely))
      if (meant) {
        const sentWords = sent.split('/')
        const words = meant.words.map((word, at) => (word === ':id' ? sentWords[at] : word))
        return notImplemented(c, `The right path is "${words.join('/')}".`)
      }
    }
    return notImplemented(c)
  }
}

/** The maximum length of a path for which the right one is looked for. */
const maxGuessedPath = 256

/** A path in lower case, with singulars in place of plurals. */
function simplify(path: string): string {
  return path
    .toLowerCase()
    .replace(/ies(?=\/|$)/g, 'y')
    .replace(/s(?=\/|$)/g, '')
}

/**
 * Answers 404. It returns the error: one that is thrown for an unknown path
 * [bypasses the middleware](https://github.com/honojs/hono/blob/main/src/compose.ts).
 */
function notImplemented(c: Context<Env>, advice = ''): Response {
  const { pathname } = new URL(c.req.url)
  const detail = `${methodOf(c)} ${quote(pathname)} is not implemented. ${advice}`.trim()
  return errorResponse(c, ApiError.of('NOT_FOUND', detail))
}

/** The method of a request. HEAD counts as GET, because its answer has the same length. */
function methodOf(c: Context<Env>): string {
  return c.req.method === 'HEAD' ? 'GET' : c.req.method
}
