import {
  type Endpoint,
  endpointName,
  endpointsOf,
} from '../../../../src/jsonapi/declare/endpoint.ts'
import type { Faults } from '../../../../src/jsonapi/errors.ts'
import { queryRules } from '../../../../src/jsonapi/request/parameters.ts'
import {
  type QueryReader,
  type QuerySpec,
  queryReader,
} from '../../../../src/jsonapi/request/query.ts'
import type { Verdict } from '../../../../src/jsonapi/validate.ts'
import { sealer } from '../../../support/sealer.ts'
import { registry } from '../../db/second-domain/registry.ts'

/** An endpoint of the second domain by name: `articles.tags.readMany`. */
export function endpointOf(name: string): Endpoint {
  const endpoint = endpointsOf(registry).find((each) => endpointName(each) === name)
  if (!endpoint) {
    throw new Error(`No endpoint ${name}`)
  }
  return endpoint
}

/**
 * Reads a query string as an endpoint does; a parameter that is given twice has an array. The reader is made anew, so
 * that each test runs all that it tells of.
 */
export function readQuery(
  name: string,
  query: Readonly<Record<string, string | string[]>>,
  path = '/path',
): Verdict<QuerySpec> {
  const reader = queryReader(queryRules(registry, endpointOf(name)))
  return reader.understand(reader.judge(query), path)
}

/** Reads a query string whose cursor may be sealed. */
export function openedQuery(
  name: string,
  query: Readonly<Record<string, string>>,
  path = '/path',
): Promise<Verdict<QuerySpec>> {
  return opened(queryReader(queryRules(registry, endpointOf(name))), query, path)
}

async function opened(reader: QueryReader, query: Readonly<Record<string, string>>, path: string) {
  const judged = reader.judge(query)
  return reader.understand(judged, path, await reader.open(judged, path, sealer))
}

/** The position after which the page of a query string begins; undefined where its cursor is refused. */
export async function openedAfter(...args: Parameters<typeof openedQuery>) {
  const verdict = await openedQuery(...args)
  return verdict.ok ? verdict.value.page.after : undefined
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
  return told(readQuery(...args))
}

/**
 * Code and source of each problem of a verdict.
 *
 * @throws Error when the detail of one is no sentence (contract, section 5)
 */
export function told(verdict: { readonly ok: true } | Faults): string[] {
  return ('problems' in verdict ? verdict.problems : []).map(({ code, detail, source = {} }) => {
    if (!/^\S.*[^\s.]\.$/su.test(detail)) {
      throw new Error(`The detail of ${code} is no sentence: ${detail}`)
    }
    return `${code} ${Object.values(source)}`
  })
}
