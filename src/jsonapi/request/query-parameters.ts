import * as z from 'zod/mini'
import { lazy } from '../../lib/cache.ts'
import { isRead, isRelated, type Operation } from '../declare/operation.ts'
import { type Endpoint, includeDepth, type Registry } from '../declare/registry.ts'
import type { Filter, Pagination, ResourceDefinition } from '../declare/resource.ts'
import { isStorable } from '../json.ts'
import { enumerate, type ProblemList, quote, sentence } from '../problems.ts'
import { parse, type Schema, validateWith } from '../zod.ts'
import { cursorLimit } from './cursor.ts'

/** What decides which parameters a kind of request accepts. */
export type QueryRules = ReturnType<typeof queryRules>

/** The maximum length of a query string, in characters, percent-encoded and without its `?`. */
export const maxQueryLength = 4_096

/** The maximum number of items of each list. The length of the query string is the only bound of a list of fields. */
export const queryLimits = { include: 10, filter: 20, sort: 5, fields: Number.POSITIVE_INFINITY }

/** The maximum of `page[offset]`: int64. An offset that a double cannot hold exactly is past the end of any collection. */
const maxSentOffset = 2n ** 63n - 1n

/** A query parameter. Its schemas are made when it is first sent, because most requests send few of them. */
export interface Parameter {
  readonly name: string
  /** Is its value a list? */
  readonly isList: boolean
  /** Returns the value of a text that was sent, or adds its problems. The value of a list is its distinct items. */
  readonly validate: (text: string, problems: ProblemList) => unknown
  /** The schema that describes its value. */
  readonly schema: () => Schema
  /** What it does, if its declaration says so. */
  readonly description?: string
}

/** The parameters of one kind of request by name. */
export type QueryParameters = ReturnType<typeof parameters>

/** Makes the parameters of one kind of request. */
export function parameters(rules: QueryRules): ReadonlyMap<string, Parameter> {
  const { registry, definition, collection } = rules
  const paging = rules.paging === 'none' ? undefined : rules.paging
  const max = paging?.max
  const types = rules.fields ? registry.reachable(definition.type) : []
  const all = [
    rules.include && listOfNames('include', () => includePaths(rules), queryLimits.include),
    ...types.map((type) =>
      listOfNames(`fields[${type}]`, () => fieldNames(registry.get(type)), queryLimits.fields),
    ),
    ...(collection ? comparisonsOf(collection) : []),
    paging && singleValue('page[cursor]', cursor),
    max !== undefined && singleValue('page[limit]', () => numberIn(wholeNumber(), 1, max)),
    paging?.by === 'offset' && singleValue('page[offset]', offset),
  ]
  return new Map(all.flatMap((one) => (one ? [[one.name, one]] : [])))
}

/** The parameters `filter[…]` and `sort` of a type. Its collection and every relationship to it accept them. */
function comparisonsOf(definition: ResourceDefinition): Parameter[] {
  const sorts = Object.entries(definition.attributes).flatMap(([name, { sortable }]) =>
    sortable ? [name, `-${name}`] : [],
  )
  return [
    ...Object.entries(filterSchemas(definition)).map(([name, item]) =>
      listOfValues(`filter[${name}]`, item, queryLimits.filter),
    ),
    ...Object.entries(definition.filters ?? {}).map(([name, filter]) =>
      oneText(`filter[${name}]`, filter),
    ),
    ...(sorts.length > 0 ? [listOfNames('sort', () => sorts, queryLimits.sort)] : []),
  ]
}

/** Every path that `include` accepts, up to the depth of {@link includeDepth}. */
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

/** Every name that `fields[type]` accepts: attributes, relationships, and dotted names of members of objects, also in arrays. */
function fieldNames({ attributes, relationships }: ResourceDefinition): string[] {
  const nested = Object.entries(attributes).flatMap(([name, { schema }]) => [
    name,
    ...memberNames(schema()).map((member) => `${name}.${member}`),
  ])
  return [...nested, ...Object.keys(relationships)]
}

function memberNames(schema: Schema): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') {
    return Object.entries(def.shape).flatMap(([name, member]) => [
      name,
      ...memberNames(member).map((nested) => `${name}.${nested}`),
    ])
  }
  const inner = def.type === 'array' ? def.element : 'innerType' in def ? def.innerType : undefined
  return inner ? memberNames(inner) : []
}

/**
 * The rules of the query string of an endpoint. A create accepts only fieldsets, and other writes accept no parameter. To-many
 * relationships and related resources accept the filters and sorts of their target's collection.
 */
export function queryRules(registry: Registry, endpoint: Endpoint) {
  const { operation, relationship, declared, subject: definition } = endpoint
  const many = isRead(operation) && declared?.cardinality === 'many' ? declared : undefined
  return {
    registry,
    definition,
    /** The relationship whose identifiers an endpoint reads: the first step of every include path. */
    relationship: isRelated(operation) ? undefined : relationship,
    include: isRead(operation) && Object.keys(definition.relationships).length > 0,
    fields: isRead(operation) || operation === 'create',
    /** How the request pages; `none` if it reads one resource or writes. `page[limit]` is accepted if `max` is set. */
    paging: operation === 'list' ? definition.pagination : pagesOf(many?.pagination, operation),
    /** The type whose filters and sorts are accepted: that of the collection, or the target of the relationship. */
    collection: operation === 'list' ? definition : many && registry.get(many.target),
  }
}

/** How the endpoints of a relationship page. Identifiers are small, so theirs does not accept `page[limit]`. */
function pagesOf(pagination: Pagination = 'none', operation: Operation): Pagination {
  return pagination === 'none' || isRelated(operation)
    ? pagination
    : { by: 'cursor', size: pagination.size }
}

const isCursor = (text: string) => cursorLimit(text) !== undefined

const cursor = () => z.string().check(z.refine(isCursor, 'must be a cursor of this service'))

// `abort` keeps later checks from a text that BigInt does not accept.
const wholeNumber = () =>
  z.string().check(z.regex(/^-?\d+$/, { error: 'must be a whole number', abort: true }))

const isOffset = (text: string) => BigInt(text) >= 0n && BigInt(text) <= maxSentOffset

const offset = () =>
  numberIn(wholeNumber().check(z.refine(isOffset, 'must be within 0 and 2^63-1')), 0)

/** The schema of a number that a text spells. A number that a double cannot hold exactly is out of every bound. */
function numberIn(text: z.ZodMiniString, min: number, max = Number.MAX_SAFE_INTEGER) {
  const { MIN_SAFE_INTEGER: least, MAX_SAFE_INTEGER: greatest } = Number
  const number = z.transform((sent: string) => Math.max(least, Math.min(Number(sent), greatest)))
  return z.pipe(z.pipe(text, number), z.int().check(z.minimum(min), z.maximum(max)))
}

function singleValue(name: string, make: () => Schema): Parameter {
  const schema = lazy(make)
  const validate = (text: string, problems: ProblemList) =>
    validateWith(schema(), text, ({ message }) =>
      problems.addProblem(sentence(name, message, text), { parameter: name }),
    )
  return { name, isList: false, validate, schema }
}

/** A parameter whose value is a list of these names. */
function listOfNames(name: string, names: () => readonly string[], max: number): Parameter {
  const known = lazy(() => new Set(names()))
  const item = () => z.enum([...known()])
  return list(name, max, item, (text, problems) => {
    if (known().has(text)) {
      return text
    }
    const detail = `${quote(text)} is not one of: ${enumerate([...known()])}.`
    problems.addProblem(detail, { parameter: name }, 'INVALID_ENUM_VALUE')
    return undefined
  })
}

/** A parameter whose value is a list of values that are valid by a schema. It may normalise them. */
function listOfValues(name: string, make: () => Schema<string, string>, max: number): Parameter {
  const schema = lazy(make)
  return list(name, max, schema, (text, problems) => validText(name, schema(), text, problems))
}

/** A parameter whose value is one text, commas included: the only item of its list. */
function oneText(name: string, { schema: make, description }: Filter): Parameter {
  const schema = lazy(make)
  const validate = (text: string, problems: ProblemList) => [
    validText(name, schema(), text, problems),
  ]
  return { name, isList: false, validate, schema, description }
}

/** The value that a schema makes of a text; undefined if it is not valid. */
function validText(
  parameter: string,
  schema: Schema<string, string>,
  text: string,
  problems: ProblemList,
): string | undefined {
  if (!isStorable(text)) {
    problems.addProblem(`${quote(text)} must be well-formed and hold no NUL.`, { parameter })
    return undefined
  }
  const { data, error } = parse(schema, text)
  if (error) {
    const must = error.issues.map(({ message }) => message).join(' and ')
    problems.addProblem(`${quote(text)} ${must}.`, { parameter })
  }
  return data
}

/**
 * A parameter whose value is a list. Items stand between commas. They are counted as sent, and those past the bound are not validated.
 * An empty text is an empty list, and an empty item is a problem. A repeated item counts once.
 *
 * @param read returns the value of a valid item, and adds the problem of another
 */
function list(
  name: string,
  max: number,
  item: () => Schema,
  read: (item: string, problems: ProblemList) => string | undefined,
): Parameter {
  return {
    name,
    isList: true,
    schema: () =>
      Number.isFinite(max) ? z.array(item()).check(z.maxLength(max)) : z.array(item()),
    validate(text, problems) {
      const add = (detail: string) => problems.addProblem(detail, { parameter: name })
      const sent = text === '' ? [] : text.split(',')
      if (sent.length > max) {
        add(`The list has ${sent.length} items, but at most ${max} items are allowed.`)
      }
      const items = [...new Set(sent.slice(0, max))].flatMap((item) => {
        if (item === '') {
          add('The list has an empty item. A value must stand before and after each comma.')
          return []
        }
        return read(item, problems) ?? []
      })
      return [...new Set(items)]
    },
  }
}

/** What makes the schema of one item of each `filter[…]`, by name. */
export function filterSchemas({
  id,
  attributes,
}: ResourceDefinition): Readonly<Record<string, () => Schema<string, string>>> {
  const filters = Object.entries({ ...(id && { id }), ...attributes }).flatMap(
    ([name, { schema, filter }]) => (filter ? [[name, filter === true ? schema : filter]] : []),
  )
  return Object.fromEntries(filters)
}
