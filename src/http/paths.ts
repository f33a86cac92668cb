import type { Context } from 'hono'
import { operationsPath, transactionRule } from '../jsonapi/declare/endpoint.ts'
import {
  methodsOf,
  type Operation,
  operations,
  type PathShape,
} from '../jsonapi/declare/operation.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { ruleOf } from '../jsonapi/declare/resource.ts'
import { ApiError } from '../jsonapi/errors.ts'
import { atomicExtension } from '../jsonapi/request/media-type.ts'
import { quote } from '../jsonapi/wording.ts'
import type { AppEnv } from './context.ts'
import { errorResponse } from './errors.ts'
import { responseOf } from './headers.ts'
import { healthPath } from './health.ts'
import { acceptedBodies } from './negotiate.ts'
import type { PageName } from './pages.ts'

/** A path of known shape, with the methods that are implemented there. */
interface KnownPath {
  readonly shape: PathShape
  readonly methods: readonly string[]
}

/**
 * Makes the handler of requests that no route takes (contract, section 1). It answers OPTIONS, and ends others in 405 where the
 * shape of the path never takes the method, or in 404. It returns its errors, because errors that it threw would bypass the
 * middleware.
 *
 * @param pageName gives the names of the pages about the service, which it sets as `page`
 */
export function unrouted(
  registry: Registry,
  root: string,
  pageName: PageName,
): (c: Context<AppEnv>) => Response {
  return (c) => {
    const page = c.req.path === healthPath ? 'health' : pageName(c.req.path)
    if (page !== undefined) {
      c.set('page', page)
      return otherMethod(c, ['GET', 'HEAD', 'OPTIONS'])
    }
    const { pathname } = new URL(c.req.url)
    if (pathname === root + operationsPath && transactionRule(registry)) {
      return otherMethod(c, ['POST', 'OPTIONS'], atomicExtension)
    }
    const known = knownPath(registry, root, pathname)
    if (known && !['HEAD', ...methodsOf(known.shape)].includes(c.req.method)) {
      return otherMethod(c, known.methods)
    }
    const detail = `${bodyMethod(c)} ${quote(pathname)} is not implemented.`
    return errorResponse(c, ApiError.of('NOT_FOUND', detail))
  }
}

/**
 * Answers OPTIONS with the methods that a path takes, and any other method with 405.
 *
 * @param extension the extension of the bodies that the path takes, if they have one
 */
function otherMethod(c: Context<AppEnv>, methods: readonly string[], extension?: string): Response {
  const Allow = methods.join(', ')
  if (c.req.method === 'OPTIONS') {
    return responseOf(undefined, 204, [
      ['Allow', Allow],
      ...Object.entries(acceptedBodies(methods, extension)),
    ])
  }
  const detail = `${bodyMethod(c)} is not supported here. Allowed: ${Allow}.`
  return errorResponse(c, ApiError.of('METHOD_NOT_SUPPORTED', detail, undefined, { Allow }))
}

/** The method whose answer has the body that is made: to a HEAD, the length of the body for a GET is told (contract, section 1). */
function bodyMethod(c: Context<AppEnv>): string {
  return c.req.method === 'HEAD' ? 'GET' : c.req.method
}

function knownPath(registry: Registry, root: string, path: string): KnownPath | undefined {
  const [type = '', id, marker, relationship, ...rest] = path.startsWith(`${root}/`)
    ? path.slice(root.length + 1).split('/')
    : []
  if (!registry.types.includes(type) || id === '' || rest.length > 0) {
    return undefined
  }
  const definition = registry.get(type)
  if (marker === undefined) {
    const shape = id === undefined ? 'collection' : 'item'
    return { shape, methods: methodsAt(definition, shape, undefined) }
  }
  const isLinkage = relationship !== undefined
  const name = relationship ?? marker
  const related = Object.hasOwn(definition.relationships, name)
    ? definition.relationships[name]
    : undefined
  if ((isLinkage && marker !== 'relationships') || !related) {
    return undefined
  }
  const linkage = related.cardinality === 'one' ? 'toOne' : 'toMany'
  const shape = isLinkage ? linkage : 'related'
  return { shape, methods: methodsAt(definition, shape, name) }
}

function methodsAt(
  definition: Parameters<typeof ruleOf>[0],
  shape: PathShape,
  relationship: string | undefined,
): string[] {
  const implemented = (Object.keys(operations) as Operation[])
    .filter(
      (operation) =>
        operations[operation].on === shape && ruleOf(definition, operation, relationship),
    )
    .map((operation) => operations[operation].method)
  return [
    ...implemented.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
    'OPTIONS',
  ]
}
