import * as z from 'zod/mini'
import { type Endpoint, subjectOf } from '../declare/endpoint.ts'
import { isRead, isRelated, type Operation } from '../declare/operation.ts'
import { filtersOf, sortsOf } from '../declare/readable.ts'
import { includeDepth, type Registry } from '../declare/registry.ts'
import type { Pagination, ResourceDefinition, ToMany } from '../declare/resource.ts'
import { isCursor } from './cursor.ts'
import { fieldNames } from './fields.ts'
import { listOfNames, listOfValues, type Parameter, singleValue } from './parameter.ts'

/** What decides which parameters a kind of request takes. */
export interface QueryRules {
  readonly registry: Registry
  readonly definition: ResourceDefinition
  /** The relationship whose identifiers an endpoint reads: the first step of every include path there. */
  readonly relationship: string | undefined
  readonly include: boolean
  readonly fields: boolean
  /** How the request pages, and `none` where it reads one resource or writes. It takes `page[limit]` where there is a `most`. */
  readonly paging: Pagination | 'none'
  /** The type whose filters and sorts are taken: that of the collection, or the target of the relationship. */
  readonly collection: ResourceDefinition | undefined
}

/** The longest query string that is read, in characters, percent-encoded and without its `?` (contract, section 6). */
export const longestQuery = 4_096

/** Bounds of the parameters (contract, section 6). */
export const queryLimits = { include: 10, filter: 20, sort: 5 } as const

/** The largest `page[offset]`: int64. An offset that a double cannot hold exactly is past the end of any collection. */
const largestOffset = 2n ** 63n - 1n

/** The parameters of one kind of request by name. */
export type Parameters = ReadonlyMap<string, Parameter>

const cursor = () => z.string().check(z.refine(isCursor, 'must be a cursor of this service'))

// `abort` keeps later checks from a text that BigInt does not take.
const wholeNumber = () =>
  z.string().check(z.regex(/^-?\d{1,20}$/, { error: 'must be a whole number', abort: true }))

const limit = (most: number) => numberIn(wholeNumber(), z.minimum(1), z.maximum(most))

const offset = () =>
  numberIn(
    wholeNumber().check(
      z.refine(
        (value) => BigInt(value) >= 0n && BigInt(value) <= largestOffset,
        'must be within 0 and 2^63-1',
      ),
    ),
    z.minimum(0),
  )

/** The schema of a number that a text spells. The checks are of the number. */
function numberIn(text: z.ZodMiniString, ...checks: readonly z.core.$ZodCheck<number>[]) {
  return z.pipe(z.pipe(text, z.transform(toInteger)), z.int().check(...checks))
}

/** The number that a text spells. Numbers that a double cannot hold exactly are out of every bound, so that rounding does no harm. */
function toInteger(text: string): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(text), Number.MAX_SAFE_INTEGER))
}

/** The parameters `filter[…]` and `sort` of a type. Its collection and every relationship to it take them. */
export function comparisonsOf(definition: ResourceDefinition): Parameter[] {
  const sorts = sortsOf(definition).flatMap((name) => [name, `-${name}`])
  return [
    ...Object.entries(filtersOf(definition)).map(([name, item]) =>
      listOfValues(`filter[${name}]`, item, queryLimits.filter),
    ),
    ...(sorts.length > 0 ? [listOfNames('sort', () => sorts, queryLimits.sort)] : []),
  ]
}

/** The parameters of one kind of request. */
export function parameters(rules: QueryRules): Parameters {
  const { registry, definition, collection } = rules
  const paging = rules.paging === 'none' ? undefined : rules.paging
  const most = paging?.most
  const types = rules.fields ? registry.reachable(definition.type) : []
  const all = [
    rules.include && listOfNames('include', () => includePaths(rules), queryLimits.include),
    // The length of the query string is the only bound of a list of fields.
    ...types.map((type) => listOfNames(`fields[${type}]`, () => fieldNames(registry.get(type)))),
    ...(collection ? comparisonsOf(collection) : []),
    paging && singleValue('page[cursor]', cursor),
    most !== undefined && singleValue('page[limit]', () => limit(most)),
    paging?.by === 'offset' && singleValue('page[offset]', offset),
  ]
  return new Map(all.flatMap((one) => (one ? [[one.name, one]] : [])))
}

/** Every path that `include` takes, up to the depth of {@link includeDepth}. */
export function includePaths({ registry, definition, relationship }: QueryRules): string[] {
  const walk = ({ relationships }: ResourceDefinition, depth: number, only?: string): string[] =>
    Object.entries(relationships)
      .filter(([name]) => only === undefined || name === only)
      .flatMap(([name, { target }]) => [
        name,
        ...(depth > 1
          ? walk(registry.get(target), depth - 1).map((path) => `${name}.${path}`)
          : []),
      ])
  return walk(definition, includeDepth, relationship)
}

/**
 * The rules of the query string of an endpoint. A create takes fieldsets alone, and other writes take no parameter. To-many
 * relationships and related resources take the filters and sorts of their target's collection (contract, section 6).
 */
export function queryRules(
  registry: Registry,
  endpoint: Pick<Endpoint, 'definition' | 'operation' | 'relationship'>,
): QueryRules {
  const { operation, relationship } = endpoint
  const definition = subjectOf(registry, endpoint)
  const related = endpoint.definition.relationships[relationship ?? '']
  const many = isRead(operation) && related?.cardinality === 'many' ? related : undefined
  const target = many && registry.get(many.target)
  return {
    registry,
    definition,
    relationship: isRelated(operation) ? undefined : relationship,
    include: isRead(operation) && Object.keys(definition.relationships).length > 0,
    fields: isRead(operation) || operation === 'create',
    paging: operation === 'list' ? definition.pagination : pagesOf(many, operation),
    collection: operation === 'list' ? definition : target,
  }
}

/** How the endpoints of a relationship page. Identifiers are small, so that theirs takes no `page[limit]`. */
function pagesOf(many: ToMany | undefined, operation: Operation): QueryRules['paging'] {
  if (!many) {
    return 'none'
  }
  const { by, size } = many.pagination
  return isRelated(operation) ? many.pagination : { by, size }
}
