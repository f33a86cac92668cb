import type { Sealer } from '../../lib/key-ring.ts'
import type { Principal } from '../declare/access.ts'
import { canCompare } from '../declare/readable.ts'
import { brief, FaultList, type Faults, listed, type Problem, quote } from '../errors.ts'
import { refused, type Verdict } from '../validate.ts'
import { decodeCursor, openCursor, type Position, scopeOf } from './cursor.ts'
import { type FieldTree, fieldTree } from './fields.ts'
import {
  formatProblem,
  isValid,
  type Parameter,
  type ParameterResult,
  type Parameters,
  parameters,
  type QueryRules,
} from './parameters.ts'

/**
 * The parameters that were sent, decoded: an array where one is sent more than once, null where one cannot be decoded. The
 * fault of the latter has been added where the query string was read.
 */
export type SentParameters = Readonly<Record<string, string | readonly string[] | null>>

/** The query string of a request: its parameters, and the faults of its encoding. */
export interface SentQuery {
  readonly sent: SentParameters
  readonly faults: Faults
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

/** A query string whose parameters are judged one by one. */
interface ValidatedQuery extends Faults {
  readonly values: Values
  /** The filters that were sent, valid or not. */
  readonly filters: readonly string[]
  /** Are the sort and the filters valid, so that a cursor can be compared with them? */
  readonly hasScope: boolean
}

/** The relationships that `include` names, each with the relationships to include from its targets. */
export type IncludeTree = ReadonlyMap<string, IncludeTree>

/** One key of the order of a page. */
export interface SortKey {
  readonly field: string
  readonly descending: boolean
}

/** The part of a collection or a relationship that a request asks for. */
export interface PageSpec {
  /** The most rows of the page; undefined where the endpoint does not page and answers with all. */
  readonly limit: number | undefined
  readonly offset: number
  readonly after: readonly string[] | undefined
  readonly strategy: 'cursor' | 'offset' | 'none'
  /** The path, the sort and the filters that a cursor of this page belongs to, as one text; empty where there are no pages. */
  readonly scope: string
}

/** The meaning of the query string of one request. */
export interface QuerySpec {
  /** Undefined where the request has no `include`. */
  readonly include: IncludeTree | undefined
  /** The fields to show, by type. A type that is absent shows all its fields. */
  readonly fields: ReadonlyMap<string, FieldTree>
  readonly filter: Readonly<Record<string, readonly string[]>>
  readonly sort: readonly SortKey[]
  readonly page: PageSpec
}

/** Reads query strings of one kind of request. */
export interface QueryReader {
  readonly rules: QueryRules
  /**
   * Gives the meaning of a query string, or all its faults; a promise only where its cursor is sealed. A cursor is refused that was
   * made for another path, sort or filter.
   */
  readonly read: (
    query: SentQuery,
    path: string,
    principal: Principal,
    sealer: Sealer,
  ) => ReadQuery | Promise<ReadQuery>
}

/** A query string that was read. */
interface ReadQuery {
  readonly verdict: Verdict<QuerySpec>
  /** The filters that were sent, valid or not. */
  readonly filters: readonly string[]
}

/** Makes a reader of query strings. Build it once: it keeps the schemas that it makes. */
export function queryReader(rules: QueryRules): QueryReader {
  const taken = parameters(rules)
  return {
    rules,
    read(query, path, principal, sealer) {
      const judged = validateQuery(query, taken)
      const { values, filters } = judged
      const range = rangeOf(values, rules, path, principal)
      const understood = (position?: Position): ReadQuery => ({
        verdict: specOf(judged, rules, range, position),
        filters,
      })
      const cursor = values['page[cursor]']
      if (cursor === undefined) {
        return understood()
      }
      // A cursor that is not sealed is taken in the order of ids alone.
      return range.sort.length > 0
        ? openCursor(sealer, range.scope, cursor).then(understood)
        : understood(decodeCursor(range.scope, cursor))
    },
  }
}

/**
 * Judges each parameter by what its name takes. A parameter of another name is a fault (contract, section 6). The faults of the
 * encoding come first.
 */
export function validateQuery(
  { sent, faults: broken }: SentQuery,
  taken: Parameters,
): ValidatedQuery {
  const faults = new FaultList().join(broken)
  const values: Record<string, unknown> = {}
  const filters: string[] = []
  let hasScope = true
  for (const [name, text] of Object.entries(sent)) {
    const parameter = taken.get(name)
    if (!parameter) {
      faults.add(() => unknownParameter(name, [...taken.keys()]))
      continue
    }
    const judged = typeof text === 'string' ? parameter.validate(text) : notOnce(parameter, text)
    faults.join(judged)
    const isRight = typeof text === 'string' && isValid(judged)
    if (isRight) {
      values[name] = judged.value
    }
    const filtered = keyIn('filter', name)
    if (filtered !== undefined) {
      filters.push(filtered)
    }
    hasScope &&= isRight || (filtered === undefined && name !== 'sort')
  }
  if (['page[cursor]', 'page[offset]'].every((name) => taken.has(name) && name in sent)) {
    const detail = 'page[offset] cannot stand beside page[cursor].'
    faults.add(() => formatProblem('page[offset]', detail))
  }
  const { problems, omitted } = faults
  return { problems, omitted, values: values as Values, filters, hasScope }
}

/** The faults of a parameter that is sent more than once. One that cannot be decoded has none here, because they are told already. */
function notOnce({ name, isList }: Parameter, sent: readonly string[] | null): ParameterResult {
  const advice = isList ? 'Put all values into one, with commas between them.' : 'Send it once.'
  const problems = sent ? [formatProblem(name, `${name} is sent more than once. ${advice}`)] : []
  return { value: undefined, problems, omitted: 0 }
}

function unknownParameter(name: string, allowed: readonly string[]): Problem {
  const source = { parameter: brief(name) }
  const types = allowed.filter((parameter) => parameter.startsWith('fields['))
  if (types.length > 0 && name.startsWith('fields[') && name.endsWith(']')) {
    return {
      code: 'INVALID_ENUM_VALUE',
      detail: `${quote(name)} is not one of: ${listed(types)}.`,
      source,
    }
  }
  const taken = allowed.length > 0 ? `takes: ${listed(allowed)}` : 'takes no parameter'
  const detail = `${quote(name)} is not taken here. This operation ${taken}.`
  return { code: 'UNEXPECTED_PARAMETER', detail, source }
}

/** What a page is cut out of: the resources that the filters let pass, in the order of the sort. */
interface Range extends Pick<QuerySpec, 'filter' | 'sort'>, Pick<PageSpec, 'scope'> {}

/** Keys of the sort that the caller may not read are left out: such values are equal for that caller. */
function rangeOf(
  values: Values,
  { paging, collection }: QueryRules,
  path: string,
  principal: Principal,
): Range {
  const sort = sortKeys(values.sort).filter(
    ({ field }) => collection && canCompare(collection, field, principal),
  )
  const filter = Object.fromEntries(listsOf('filter', values))
  return { sort, filter, scope: paging === 'none' ? '' : scopeOf(path, sort, filter) }
}

/** @param position the one in the cursor; undefined where there is no cursor, or none of this range */
function specOf(
  judged: ValidatedQuery,
  rules: QueryRules,
  range: Range,
  position: Position | undefined,
): Verdict<QuerySpec> {
  const { values, hasScope } = judged
  const { include } = values
  const { filter, sort } = range
  const page = pageOf(values, rules, range, position)
  if (!page || judged.problems.length > 0) {
    const faults = new FaultList().join(judged)
    if (!page && hasScope) {
      const detail = `${quote(values['page[cursor]'])} is not a cursor of this path with this sort and these filters.`
      faults.add(() => formatProblem('page[cursor]', detail))
    }
    return refused(faults)
  }
  const fields = listsOf('fields', values).map(([type, names]) => [type, fieldTree(names)] as const)
  return {
    ok: true,
    value: {
      include: include && includeTree(include),
      fields: new Map(fields),
      filter,
      sort,
      page,
    },
  }
}

/** The page that is asked for; undefined where its cursor is not one of this range, or not of a size that is taken. */
function pageOf(
  values: Values,
  { paging }: QueryRules,
  { sort, scope }: Range,
  position: Position | undefined,
): PageSpec | undefined {
  if (paging === 'none') {
    return { strategy: 'none', limit: undefined, offset: 0, after: undefined, scope }
  }
  const { by: strategy, size, max } = paging
  const { 'page[cursor]': cursor, 'page[limit]': limit, 'page[offset]': offset = 0 } = values
  if (cursor === undefined) {
    return { strategy, limit: limit ?? size, offset, after: undefined, scope }
  }
  const { keys: after, limit: said } = position ?? {}
  const isTaken =
    said !== undefined && (max === undefined ? said === size : said >= 1 && said <= max)
  return isTaken && after?.length === sort.length + 1
    ? { strategy: 'cursor', limit: limit ?? said, offset, after, scope }
    : undefined
}

/** The keys of an order, each field once: a repeated field cannot change the order. */
function sortKeys(items: readonly string[] = []): SortKey[] {
  const keys = new Map<string, SortKey>()
  for (const item of items) {
    const descending = item.startsWith('-')
    const field = descending ? item.slice(1) : item
    if (!keys.has(field)) {
      keys.set(field, { field, descending })
    }
  }
  return [...keys.values()]
}

/** The lists of the parameters of a family, by the name between the brackets: `fields[articles]` by `articles`. */
function listsOf(
  family: 'fields' | 'filter',
  values: Values,
): [key: string, items: readonly string[]][] {
  return Object.entries(values).flatMap(([name, items]) => {
    const key = keyIn(family, name)
    return key === undefined ? [] : [[key, items]]
  })
}

/** The name between the brackets of a parameter of a family; undefined for other parameters. */
function keyIn(family: 'fields' | 'filter', parameter: string): string | undefined {
  return parameter.startsWith(`${family}[`) ? parameter.slice(family.length + 1, -1) : undefined
}

interface GrowingTree extends Map<string, GrowingTree> {}

function includeTree(paths: readonly string[]): IncludeTree {
  const tree: GrowingTree = new Map()
  for (const path of paths) {
    let node = tree
    for (const step of path.split('.')) {
      const child: GrowingTree = node.get(step) ?? new Map()
      node.set(step, child)
      node = child
    }
  }
  return tree
}
