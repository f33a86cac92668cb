import {
  type Endpoint,
  endpointName,
  endpointsOf,
} from '../../../../src/jsonapi/declare/registry.ts'
import type { Principal } from '../../../../src/jsonapi/declare/resource.ts'
import { ProblemList } from '../../../../src/jsonapi/problems.ts'
import { queryReader, type SentParameters } from '../../../../src/jsonapi/request/query.ts'
import { queryRules } from '../../../../src/jsonapi/request/query-parameters.ts'
import { sealer } from '../../../support/sealer.ts'
import { registry } from '../../db/second-domain/registry.ts'

/** An endpoint by name: `articles.tags.readMany`. It is one of the second domain, unless another one is given. */
export function endpointOf(name: string, of = registry): Endpoint {
  const endpoint = endpointsOf(of).find((each) => endpointName(each) === name)
  if (!endpoint) {
    throw new Error(`No endpoint ${name}`)
  }
  return endpoint
}

/** Runs a validation; what it has given, and the faults that it has added. */
export function verdictOf<Value>(validate: (faults: ProblemList) => Value | undefined) {
  const faults = new ProblemList()
  return { value: validate(faults), faults }
}

/** A person who may read every attribute. */
export const reader: Principal = {
  ...{ kind: 'user', issuer: 'i', id: 'ann' },
  scopes: new Set(['articles.read']),
}

/** Reads parameters whose encoding is right as an endpoint does. */
export async function readQuery(
  name: string,
  sent: SentParameters,
  path = '/path',
  of = registry,
  principal = reader,
) {
  const faults = new ProblemList()
  const read = queryReader(queryRules(of, endpointOf(name, of)))
  return { value: await read(sent, path, principal, sealer, faults), faults }
}

/** What a query string that is valid says. */
export async function specOf(...args: Parameters<typeof readQuery>) {
  const { value, faults } = await readQuery(...args)
  if (!value || faults.count > 0) {
    throw new Error(`Refused: ${JSON.stringify(faults.kept)}`)
  }
  return value
}

/** Code and parameter of each problem of a query string: `VALUE_INVALID_FORMAT sort`. */
export async function problemsOf(...args: Parameters<typeof readQuery>): Promise<string[]> {
  return told(await readQuery(...args))
}

/**
 * Code and source of each problem of a verdict.
 *
 * @throws Error when the detail of one is no sentence
 */
export function told({ faults }: { readonly faults: ProblemList }): string[] {
  return faults.kept.map(({ code, detail, source = {} }) => {
    if (!/^\S.*[^\s.]\.$/su.test(detail)) {
      throw new Error(`The detail of ${code} is no sentence: ${detail}`)
    }
    return `${code} ${Object.values(source)}`
  })
}

/** Short words for the codes that faults of bodies have. */
const words: Readonly<Record<string, string>> = {
  VALUE_INVALID_FORMAT: 'form',
  VALUE_IS_ABSENT: 'absent',
  INVALID_ENUM_VALUE: 'choice',
  CONFLICT: 'conflict',
  NOT_FOUND: 'unknown',
}

/** As {@link told}, with the codes in short: `absent /data`. */
export function toldInShort(...[verdict]: Parameters<typeof told>): string[] {
  return told(verdict).map((text) => text.replace(/^\w+/, (code) => words[code] ?? code))
}
