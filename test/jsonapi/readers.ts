import { type Endpoint, endpointName, endpointsOf } from '../../src/jsonapi/endpoint.ts'
import { queryRules } from '../../src/jsonapi/parameters.ts'
import { type QueryReader, type QuerySpec, queryReader } from '../../src/jsonapi/query.ts'
import type { Verdict } from '../../src/jsonapi/validate.ts'
import { registry } from '../db/second-domain/registry.ts'

const endpoints = new Map(
  endpointsOf(registry).map((endpoint) => [endpointName(endpoint), endpoint]),
)

/** An endpoint of the second domain by name: `articles.tags.readMany`. */
export function endpointOf(name: string): Endpoint {
  const endpoint = endpoints.get(name)
  if (!endpoint) {
    throw new Error(`No endpoint ${name}`)
  }
  return endpoint
}

const readers = new Map<string, QueryReader>()

/** Reads a query string as an endpoint does; a parameter that is given twice has an array. */
export function readQuery(
  name: string,
  query: Readonly<Record<string, string | string[]>>,
  path = '/path',
): Verdict<QuerySpec> {
  const reader = readers.get(name) ?? queryReader(queryRules(registry, endpointOf(name)))
  readers.set(name, reader)
  const judged = reader.judge(query)
  return judged.ok ? reader.understand(judged.value, path) : judged
}

/** What a query string that is valid says. */
export function specOf(...args: Parameters<typeof readQuery>): QuerySpec {
  const verdict = readQuery(...args)
  if (!verdict.ok) {
    throw new Error(`Refused: ${JSON.stringify(verdict.problems)}`)
  }
  return verdict.value
}

/** Code and parameter of each problem of a query string: `VALUE_INVALID_FORMAT sort`. */
export function problemsOf(...args: Parameters<typeof readQuery>): string[] {
  const verdict = readQuery(...args)
  return verdict.ok
    ? []
    : verdict.problems.map(({ code, source }) => `${code} ${Object.values(source ?? {})}`)
}
