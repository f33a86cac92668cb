import type { Sealer } from '../../lib/key-ring.ts'
import { allows, type Principal, type ResourceDefinition } from '../declare/resource.ts'
import { brief, enumerate, type Problem, type ProblemList, quote } from '../problems.ts'
import { decodeCursor, openCursor, type Position, scopeOf } from './cursor.ts'
import { parameters, type QueryParameters, type QueryRules } from './query-parameters.ts'

/** The parameters of a query string, decoded: an array if one is sent more than once, null if it cannot be decoded. */
export type SentParameters = Readonly<Record<string, string | readonly string[] | null>>

/** Decodes a part of a URL; undefined if its percent-encoding is broken, or not UTF-8. */
export function decodePart(text: string): string | undefined {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text
  } catch {
    return undefined
  }
}

/** Dotted paths as a tree: relationships to include, or fields to show. A field without members below it is shown as a whole. */
export interface PathTree extends ReadonlyMap<string, PathTree> {}

/** One key of the order of a page. */
export interface SortKey {
  readonly field: string
  readonly descending: boolean
}

/** The part of a collection or a relationship that a request asks for. */
export interface PageSpec {
  /** The maximum number of rows; all if absent. */
  readonly limit?: number | undefined
  readonly offset: number
  /** The sort values and the id of the row before the page; absent for a page that follows no row. */
  readonly after?: readonly string[] | undefined
  readonly strategy: 'cursor' | 'offset' | 'none'
  /** The path, the sort and the filters that a cursor of this page belongs to, as one text; empty if the endpoint does not page. */
  readonly scope: string
}

/** The meaning of the query string of one request. */
export interface QuerySpec {
  /** Undefined if the request has no `include`. */
  readonly include: PathTree | undefined
  /** The fields to show, by type. A type that is absent shows all its fields. */
  readonly fields: ReadonlyMap<string, PathTree>
  /** The values of each filter, by its name: the name between the brackets of its parameter. */
  readonly filter: Readonly<Record<string, readonly string[]>>
  readonly sort: readonly SortKey[]
  readonly page: PageSpec
}

/** The page of a request that does not page. */
export const noPage: PageSpec = { strategy: 'none', offset: 0, scope: '' }

/**
 * Creates the reader of the query strings of one kind of request. It adds all their problems, and a cursor of another path, sort or filter is
 * one. Its result is used only if it has added no problem. Call it once: the reader keeps its schemas.
 */
export function queryReader(rules: QueryRules) {
  const known = parameters(rules)
  const { collection, paging } = rules
  const filters = [...known.keys()].flatMap((name) => /^filter\[(.*)\]$/.exec(name)?.[1] ?? [])
  const ordering = ['sort', ...filters.map((field) => `filter[${field}]`)]
  return async (
    sent: SentParameters,
    path: string,
    principal: Principal,
    sealer: Sealer,
    problems: ProblemList,
  ): Promise<QuerySpec | undefined> => {
    const isComparable = (field: string) =>
      collection !== undefined && canCompare(collection, field, principal)
    for (const field of filters) {
      if (`filter[${field}]` in sent && !isComparable(field)) {
        const allowed = enumerate(filters.filter(isComparable))
        const detail = `This caller may not filter by ${field}. Allowed: ${allowed}.`
        problems.addProblem(detail, { parameter: `filter[${field}]` }, 'INVALID_ENUM_VALUE')
      }
    }
    const values = validateQuery(sent, known, problems)
    const { include, 'page[cursor]': cursor } = values
    // A sort by an attribute that the caller may not read has no effect.
    const sort = sortKeys(values.sort).filter(({ field }) => isComparable(field))
    const filter = listsOf('filter', values)
    const scope = paging === 'none' ? '' : scopeOf(path, sort, filter)
    // Only a cursor in the order of ids is not sealed.
    const open = sort.length > 0 ? openCursor : decodeCursor
    const position = cursor === undefined ? undefined : await open(scope, cursor, sealer)
    const page = pageOf(values, rules, sort, scope, position)
    // A cursor cannot be compared with an invalid sort or filter.
    const hasScope = ordering.every((name) => !(name in sent) || name in values)
    if (!page && hasScope) {
      const detail = `${quote(cursor)} is not a cursor of this path with this sort and these filters.`
      problems.addProblem(detail, { parameter: 'page[cursor]' })
    }
    const fields = Object.entries(listsOf('fields', values)).map(
      ([type, names]) => [type, fieldTree(names)] as const,
    )
    const tree = include && treeOf(include)
    return page && { include: tree, fields: new Map(fields), filter, sort, page }
  }
}

/** The values of the valid parameters by name. */
interface Values {
  readonly include?: readonly string[]
  readonly sort?: readonly string[]
  readonly 'page[cursor]'?: string
  readonly 'page[limit]'?: number
  readonly 'page[offset]'?: number
  readonly [list: `${'fields' | 'filter'}[${string}]`]: readonly string[]
}

/** Returns the values of valid parameters, and adds the problems of others. A parameter that is not known is a problem. */
export function validateQuery(
  sent: SentParameters,
  known: QueryParameters,
  problems: ProblemList,
): Values {
  const values: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(sent)) {
    const parameter = known.get(name)
    if (!parameter) {
      problems.add(() => unknownParameter(name, [...known.keys()]))
    } else if (typeof text === 'string') {
      const before = problems.count
      const value = parameter.validate(text, problems)
      if (problems.count === before) {
        values[name] = value
      }
    } else if (text) {
      const isList = parameter.isList
      const advice = isList ? 'Put all values into one, with commas between them.' : 'Send it once.'
      problems.addProblem(`${name} is sent more than once. ${advice}`, { parameter: name })
    }
  }
  if (['page[cursor]', 'page[offset]'].every((name) => known.has(name) && name in sent)) {
    const parameter = 'page[offset]'
    problems.addProblem('page[offset] cannot stand beside page[cursor].', { parameter })
  }
  return values as Values
}

function unknownParameter(name: string, allowed: readonly string[]): Problem {
  const source = { parameter: brief(name) }
  const types = allowed.filter((parameter) => parameter.startsWith('fields['))
  const isType = types.length > 0 && name.startsWith('fields[') && name.endsWith(']')
  const detail = isType
    ? `${quote(name)} is not one of: ${enumerate(types)}.`
    : `${quote(name)} is not allowed here. Allowed: ${enumerate(allowed)}.`
  return { code: isType ? 'INVALID_ENUM_VALUE' : 'UNEXPECTED_PARAMETER', detail, source }
}

/** The page that is asked for; undefined if its cursor is not one of this page, or of a size that is not accepted. */
function pageOf(
  values: Values,
  { paging }: QueryRules,
  sort: readonly SortKey[],
  scope: string,
  position: Position | undefined,
): PageSpec | undefined {
  if (paging === 'none') {
    return noPage
  }
  const { by: strategy, size, max } = paging
  const { 'page[cursor]': cursor, 'page[limit]': limit, 'page[offset]': offset = 0 } = values
  if (cursor === undefined) {
    return { strategy, limit: limit ?? size, offset, scope }
  }
  const { keys: after, limit: said = 0 } = position ?? {}
  const isSize = max === undefined ? said === size : said >= 1 && said <= max
  return isSize && after?.length === sort.length + 1
    ? { strategy: 'cursor', limit: limit ?? said, offset, after, scope }
    : undefined
}

/** The keys of an order, each field once: a repeated field cannot change the order. */
function sortKeys(items: readonly string[] = []): SortKey[] {
  const keys = items.map((item) => {
    const descending = item.startsWith('-')
    return { field: descending ? item.slice(1) : item, descending }
  })
  return keys.filter(({ field }, at) => keys.findIndex((key) => key.field === field) === at)
}

/** The lists of the parameters of a family, by the name between the brackets: `fields[articles]` by `articles`. */
function listsOf(family: 'fields' | 'filter', values: Values): QuerySpec['filter'] {
  const lists = Object.entries(values)
    .filter(([name]) => name.startsWith(`${family}[`))
    .map(([name, items]) => [name.slice(family.length + 1, -1), items])
  return Object.fromEntries(lists)
}

/** The tree of the fields of a type. A whole field wins over its members. */
export function fieldTree(names: readonly string[]): PathTree {
  return treeOf(names.filter((name) => !names.some((other) => name.startsWith(`${other}.`))))
}

function treeOf(paths: readonly string[]): PathTree {
  const groups = Map.groupBy(paths, (path) => path.replace(/\..*/, ''))
  const below = (first: string, all: readonly string[]) =>
    treeOf(all.filter((path) => path !== first).map((path) => path.slice(first.length + 1)))
  return new Map([...groups].map(([first, all]) => [first, below(first, all)]))
}

/**
 * May the caller read this field in all resources, not only in own ones? Otherwise an order or the result of a filter would reveal
 * its values. This follows from the access rules of the attribute and of its members, or of a filter that is no attribute.
 */
export function canCompare(
  { attributes, filters }: ResourceDefinition,
  field: string,
  principal: Principal,
): boolean {
  const attribute = attributes[field] ?? filters?.[field]
  const members = attributes[field]?.members ?? {}
  const rules = attribute && [attribute, ...Object.values(members)]
  return rules?.every(({ access }) => allows(access, principal, false)) ?? field === 'id'
}
