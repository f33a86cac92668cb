import * as z from 'zod/mini'
import { lazy } from '../../lib/kept.ts'
import { isRead, isRelated, type Operation } from '../declare/operation.ts'
import { filtersOf, sortsOf } from '../declare/readable.ts'
import { type Endpoint, includeDepth, type Registry } from '../declare/registry.ts'
import type { Pagination, ResourceDefinition, ToMany } from '../declare/resource.ts'
import { FaultList, type Faults, listed, type Problem, quote, sentence } from '../errors.ts'
import { isStorable } from '../json.ts'
import { demand, parse, type Schema, validateWith } from '../validate.ts'
import { cursorLimit } from './cursor.ts'
import { fieldNames } from './fields.ts'

/** What decides which parameters a kind of request takes. */
export interface QueryRules {
  readonly registry: Registry
  readonly definition: ResourceDefinition
  /** The relationship whose identifiers an endpoint reads: the first step of every include path there. */
  readonly relationship: string | undefined
  readonly include: boolean
  readonly fields: boolean
  /** How the request pages, and `none` where it reads one resource or writes. It takes `page[limit]` where there is a `most`. */
  readonly paging: Pagination
  /** The type whose filters and sorts are taken: that of the collection, or the target of the relationship. */
  readonly collection: ResourceDefinition | undefined
}

/** The longest query string that is read, in characters, percent-encoded and without its `?` (contract, section 6). */
export const maxQueryLength = 4_096

/** Bounds of the parameters (contract, section 6). */
const queryLimits = { include: 10, filter: 20, sort: 5 } as const

/** The largest `page[offset]`: int64. An offset that a double cannot hold exactly is past the end of any collection. */
const maxSentOffset = 2n ** 63n - 1n

/** The parameters of one kind of request by name. */
export type Parameters = ReadonlyMap<string, Parameter>

const cursor = () =>
  z
    .string()
    .check(
      z.refine((value) => cursorLimit(value) !== undefined, 'must be a cursor of this service'),
    )

// `abort` keeps later checks from a text that BigInt does not take.
const wholeNumber = () =>
  z.string().check(z.regex(/^-?\d{1,20}$/, { error: 'must be a whole number', abort: true }))

const limit = (max: number) => numberIn(wholeNumber(), z.minimum(1), z.maximum(max))

const offset = () =>
  numberIn(
    wholeNumber().check(
      z.refine(
        (value) => BigInt(value) >= 0n && BigInt(value) <= maxSentOffset,
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
function comparisonsOf(definition: ResourceDefinition): Parameter[] {
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
  const max = paging?.max
  const types = rules.fields ? registry.reachable(definition.type) : []
  const all = [
    rules.include && listOfNames('include', () => includePaths(rules), queryLimits.include),
    // The length of the query string is the only bound of a list of fields.
    ...types.map((type) => listOfNames(`fields[${type}]`, () => fieldNames(registry.get(type)))),
    ...(collection ? comparisonsOf(collection) : []),
    paging && singleValue('page[cursor]', cursor),
    max !== undefined && singleValue('page[limit]', () => limit(max)),
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
export function queryRules(registry: Registry, endpoint: Endpoint): QueryRules {
  const { operation, relationship, subject: definition } = endpoint
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
function pagesOf(many: ToMany | undefined, operation: Operation): Pagination {
  const pagination = many?.pagination ?? 'none'
  return pagination === 'none' || isRelated(operation)
    ? pagination
    : { by: pagination.by, size: pagination.size }
}

/**
 * A query parameter that an operation takes. Its schemas are made when it is first sent, because making those of all parameters would
 * take a tenth of an isolate's first request.
 */
export interface Parameter {
  readonly name: string
  /** Is its value a list? */
  readonly isList: boolean
  readonly validate: (text: string) => ParameterResult
  /** The schema that describes its value. Lists are judged without it. */
  readonly schema: () => Schema
}

/** The faults of a parameter that was sent, and its value. That of a list is its distinct valid items, even where others have faults. */
export interface ParameterResult extends Faults {
  readonly value: unknown
}

/** Has a parameter no faults? */
export function isValid({ problems }: ParameterResult): boolean {
  return problems.length === 0
}

/** The problem of a parameter that has the wrong form. */
export function formatProblem(parameter: string, detail: string): Problem {
  return { code: 'VALUE_INVALID_FORMAT', detail, source: { parameter } }
}

/** A parameter that takes a single value. */
function singleValue(name: string, make: () => Schema): Parameter {
  const schema = lazy(make)
  return {
    name,
    isList: false,
    validate(text) {
      const verdict = validateWith(schema(), text, (issue, faults) => {
        faults.add(() => formatProblem(name, sentence(name, demand(issue), text)))
      })
      return verdict.ok
        ? { value: verdict.value, problems: [], omitted: 0 }
        : { ...verdict, value: undefined }
    },
    schema,
  }
}

/** A parameter that takes a list of names, each of them one of these. */
export function listOfNames(name: string, names: () => readonly string[], max?: number): Parameter {
  const known = lazy(() => new Set(names()))
  const take: Take = (item) =>
    known().has(item)
      ? item
      : () => ({
          code: 'INVALID_ENUM_VALUE',
          detail: `${quote(item)} is not one of: ${listed([...known()])}.`,
          source: { parameter: name },
        })
  return {
    name,
    isList: true,
    validate: (text) => validateList(name, text, take, max),
    schema: () => bounded(z.array(z.enum([...known()])), max),
  }
}

/** A parameter that takes a list of values, which are valid by a schema. It may normalise them. */
export function listOfValues(
  name: string,
  make: () => Schema<string, string>,
  max: number,
): Parameter {
  const schema = lazy(make)
  const take: Take = (item) => {
    const result = parse(schema(), item)
    return result.success
      ? result.data
      : () =>
          formatProblem(name, `${quote(item)} ${result.error.issues.map(demand).join(' and ')}.`)
  }
  return {
    name,
    isList: true,
    validate: (text) => validateList(name, text, take, max),
    schema: () => bounded(z.array(z.string()), max),
  }
}

function bounded(list: z.ZodMiniArray<z.ZodMiniType<string>>, max?: number) {
  return max === undefined ? list : list.check(z.maxLength(max))
}

/** Gives the value of a valid item. For another it gives the function that makes its problem. */
type Take = (item: string) => string | (() => Problem)

/**
 * Judges a list, by one rule for all parameters (contract, section 6). Items stand between commas. They are counted as sent, and
 * those past the bound are not judged. An empty text is an empty list, and an empty item is a fault. An item that is repeated is
 * judged once.
 */
function validateList(
  name: string,
  text: string,
  take: Take,
  max = Number.POSITIVE_INFINITY,
): ParameterResult {
  const faults = new FaultList()
  const add = (detail: string) => faults.add(() => formatProblem(name, detail))
  const isText = isStorable(text)
  if (!isText) {
    add(`${quote(text)} must be well-formed and hold no NUL.`)
  }
  const sent = isText && text !== '' ? text.split(',') : []
  if (sent.length > max) {
    add(`The list has ${sent.length} items, but at most ${max} items are allowed.`)
  }
  const items = new Set<string>()
  for (const item of new Set(sent.slice(0, max))) {
    const taken = item === '' ? undefined : take(item)
    if (taken === undefined) {
      add('The list has an empty item. A value must stand before and after each comma.')
    } else if (typeof taken === 'string') {
      items.add(taken)
    } else {
      faults.add(taken)
    }
  }
  return { value: [...items], problems: faults.problems, omitted: faults.omitted }
}
