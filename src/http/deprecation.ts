import type { Context, MiddlewareHandler } from 'hono'
import type { Deprecation, DeprecationHeader } from '../jsonapi/declare/deprecation.ts'
import { type Endpoint, endpointName } from '../jsonapi/declare/endpoint.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { ruleOf } from '../jsonapi/declare/resource.ts'
import { writesOf } from '../jsonapi/declare/transaction.ts'
import { attributesUsed, canUseDeprecated } from '../jsonapi/run/deprecated.ts'
import type { AppEnv, Step } from './context.ts'

/** What a route adds where requests can use something deprecated. Every other route has nothing of it. */
export interface Notice {
  /** The middleware that adds the headers to each answer of the route, and sets `deprecated`. */
  readonly announce: MiddlewareHandler<AppEnv>
  /** The step that comes when a request has been validated, and sets `deprecations`. */
  readonly note: Step
}

/** The notice of an endpoint; undefined where neither the operation nor an attribute that it can use is deprecated. */
export function noticeOf(registry: Registry, endpoint: Endpoint): Notice | undefined {
  const { deprecated } = endpoint.rule
  return canUseDeprecated(registry, endpoint)
    ? notice(deprecated ? [[endpointName(endpoint), deprecated]] : [], (c) => {
        const { query, payload } = c.get('valid')
        return attributesUsed(registry, endpoint, { principal: c.get('principal'), query, payload })
      })
    : undefined
}

/** The notice of transactions, which use what their operations use; undefined where that cannot be deprecated. */
export function transactionNotice(registry: Registry): Notice | undefined {
  return writesOf(registry).some((endpoint) => canUseDeprecated(registry, endpoint))
    ? notice([], (c) => {
        const principal = c.get('principal')
        return new Map(
          c.get('transaction').operations.flatMap((one) => {
            const { deprecated } = ruleOf(one.definition, one.operation, one.relationship) ?? {}
            const { payload } = one
            const used = [...attributesUsed(registry, one, { principal, payload })]
            return deprecated ? [[endpointName(one), deprecated] as const, ...used] : used
          }),
        )
      })
    : undefined
}

/** @param always what each request to the route uses, with its name */
function notice(
  always: readonly (readonly [name: string, deprecation: Deprecation])[],
  used: (c: Context<AppEnv>) => ReadonlyMap<string, Deprecation>,
): Notice {
  return {
    announce: async (c, next) => {
      await next()
      const told = new Map([...always, ...(c.get('deprecations') ?? [])])
      for (const [name, value] of headersOf([...told.values()])) {
        c.res.headers.append(name, value)
      }
      if (told.size > 0) {
        c.set('deprecated', [...told.keys()].toSorted().join(','))
      }
    },
    note: (c) => c.set('deprecations', used(c)),
  }
}

/**
 * The headers that tell of deprecations: the day of the first one (RFC 9745, section 2), the day on which the first of them may be
 * gone (RFC 8594, section 3), and a link for each page about them (RFC 9745, section 3).
 */
function headersOf(
  deprecations: readonly Deprecation[],
): readonly (readonly [DeprecationHeader, string])[] {
  const [since] = deprecations.map((each) => each.since).toSorted()
  const [sunset] = deprecations.flatMap((each) => each.sunset ?? []).toSorted()
  const links = new Set(deprecations.flatMap(({ link }) => (link ? [new URL(link).href] : [])))
  return [
    ...(since === undefined ? [] : [['Deprecation', `@${Date.parse(since) / 1_000}`] as const]),
    ...(sunset === undefined ? [] : [['Sunset', new Date(sunset).toUTCString()] as const]),
    ...[...links].map((link) => ['Link', `<${link}>; rel="deprecation"`] as const),
  ]
}
