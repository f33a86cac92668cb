import type { Deprecation, DeprecationHeader } from '../jsonapi/declare/deprecation.ts'
import type { Endpoint } from '../jsonapi/declare/endpoint.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { canUseDeprecated } from '../jsonapi/run/deprecated.ts'
import type { SchemaObject } from './schema.ts'

/** The sentences about a deprecation for a description; empty where nothing is deprecated. */
export function deprecationText(deprecation: Deprecation | undefined): string {
  if (!deprecation) {
    return ''
  }
  const { since, sunset, link } = deprecation
  return [
    `Deprecated from ${since} on.`,
    sunset && `It may be gone from ${sunset} on.`,
    link && `[What to use instead](${new URL(link).href}).`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** Marks a schema as deprecated where it is. Members beside a reference are ignored (OpenAPI 3.0.1, "Reference Object"). */
export function marked(schema: SchemaObject, deprecation: Deprecation | undefined): SchemaObject {
  if (!deprecation) {
    return schema
  }
  return '$ref' in schema ? { allOf: [schema], deprecated: true } : { ...schema, deprecated: true }
}

/** The descriptions of the headers that tell of deprecations, by name (contract, section 20). */
export const deprecationHeaderTexts: Readonly<Record<DeprecationHeader, string>> = {
  Deprecation:
    'Something that the request uses is deprecated from this moment on: `@` and the seconds since 1970 (RFC 9745).',
  Sunset: 'Something that the request uses may be gone from this moment on (RFC 8594).',
  Link: 'With `rel="deprecation"`: a page that tells what to use instead.',
}

/** The names of the headers that tell of deprecations, where requests to one of the endpoints can use something deprecated. */
export function endingHeaders(
  registry: Registry,
  endpoints: readonly Endpoint[],
): readonly string[] {
  return endpoints.some((endpoint) => canUseDeprecated(registry, endpoint))
    ? Object.keys(deprecationHeaderTexts)
    : []
}
