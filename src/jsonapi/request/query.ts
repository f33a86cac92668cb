import type { Sealer } from '../../lib/key-ring.ts'
import { allows, type Principal, type ResourceDefinition } from '../declare/resource.ts'
import { brief, FaultList, type Faults, listed, type Problem, quote } from '../problems.ts'
import { refused, refusedFor, type Verdict } from '../verdict.ts'
import { decodeCursor, openCursor, type Position, scopeOf } from './cursor.ts'
import {
  filtersOf,
  formatProblem,
  type Parameter,
  type Parameters,
  parameters,
  type QueryRules,
} from './query-parameters.ts'

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

/** Decodes a part of a URL; undefined where its percent-encoding is broken, or not UTF-8. */
export function decoded(text: string): string | undefined {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text
  } catch {
    return undefined
  }
}

/** The relationships that `include` names, each with the relationships to include from its targets. */
export type IncludeTree = ReadonlyMap<string, IncludeTree>

/** The fields that were asked for, by name: `all` for a whole field, or a tree of its members. */
export type FieldTree = ReadonlyMap<string, FieldTree | 'all'>

/** One key of the order of a page. */
export interface SortKey {
  readonly field: string
  readonly descending: boolean
}

/** The part of a collection or a relationship that a request asks for. */
export interface PageSpec {
  /** The maximum number of rows; undefined if the endpoint does not page and answers with all. */
  readonly limit: number | undefined
  readonly offset: number
  readonly after: readonly string[] | undefined
  readonly strategy: 'cursor' | 'offset' | 'none'
  /** The path, the sort and the filters that a cursor of this page belongs to, as one text; empty if the endpoint does not page. */
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

/** A query string that was read. */
interface ReadQuery {
  readonly verdict: Verdict<QuerySpec>
  /** The filters that were sent, valid or not. */
  readonly filters: readonly string[]
}

/** Reads query strings of one kind of request. */
export interface QueryReader {
  readonly rules: QueryRules
  /**
   * Gives the meaning of a query string, or all its faults; a promise only where its cursor is sealed. A cursor of another path, sort or
   * filter is a fault.
   */
  readonly read: (
    query: SentQuery,
    path: string,
    principal: Principal,
    sealer: Sealer,
  ) => ReadQuery | Promise<ReadQuery>
}

/** Creates a reader of query strings. Call it once: the reader keeps its schemas. */
export function queryReader(rules: QueryRules): QueryReader {
  const known = parameters(rules)
  return {
    rules,
    read(query, path, principal, sealer) {
      const { values, faults } = validateQuery(query, known)
      const { sort: keys, include, 'page[cursor]': cursor } = values
      const sort = sortKeys(keys).filter(
        // Values that the caller may not read are equal for that caller.
        ({ field }) => rules.collection && canCompare(rules.collection, field, principal),
      )
      const filter = listsOf('filter', values)
      const scope = rules.paging === 'none' ? '' : scopeOf(path, sort, filter)
      const sent = Object.keys(query.sent).filter((name) => known.has(name))
      const filters = sent.flatMap((name) => keyIn('filter', name) ?? [])
      const readBehind = (position?: Position): ReadQuery => {
        const page = pageOf(values, rules, sort, scope, position)
        // A cursor cannot be compared with an invalid sort or filter.
        const hasScope = sent.every(
          (name) => name in values || (name !== 'sort' && keyIn('filter', name) === undefined),
        )
        if (!page && hasScope) {
          const detail = `${quote(cursor)} is not a cursor of this path with this sort and these filters.`
          faults.add(() => formatProblem('page[cursor]', detail))
        }
        if (!page || faults.problems.length > 0) {
          return { verdict: refused(faults), filters }
        }
        const fields = Object.entries(listsOf('fields', values)).map(
          ([type, names]) => [type, fieldTree(names)] as const,
        )
        const paths = include && includeTree(include)
        const value = { include: paths, fields: new Map(fields), filter, sort, page }
        return { verdict: { ok: true, value }, filters }
      }
      if (cursor === undefined) {
        return readBehind()
      }
      // A cursor that is not sealed is in the order of ids alone.
      return sort.length > 0
        ? openCursor(sealer, scope, cursor).then(readBehind)
        : readBehind(decodeCursor(scope, cursor))
    },
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

/** Validates each parameter. One that is not known is a fault. The faults of the encoding come first. */
export function validateQuery(
  { sent, faults: broken }: SentQuery,
  known: Parameters,
): { readonly values: Values; readonly faults: FaultList } {
  const faults = new FaultList().join(broken)
  const values: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(sent)) {
    const parameter = known.get(name)
    if (!parameter) {
      faults.add(() => unknownParameter(name, [...known.keys()]))
      continue
    }
    const verdict = typeof text === 'string' ? parameter.validate(text) : notOnce(parameter, text)
    if (verdict.ok) {
      values[name] = verdict.value
    } else {
      faults.join(verdict)
    }
  }
  if (['page[cursor]', 'page[offset]'].every((name) => known.has(name) && name in sent)) {
    const detail = 'page[offset] cannot stand beside page[cursor].'
    faults.add(() => formatProblem('page[offset]', detail))
  }
  return { values: values as Values, faults }
}

/** The faults of a parameter that is sent more than once. One that cannot be decoded has its fault already. */
function notOnce({ name, isList }: Parameter, sent: readonly string[] | null): Verdict<never> {
  const advice = isList ? 'Put all values into one, with commas between them.' : 'Send it once.'
  return sent
    ? refusedFor(formatProblem(name, `${name} is sent more than once. ${advice}`))
    : refused({ problems: [], omitted: 0 })
}

function unknownParameter(name: string, allowed: readonly string[]): Problem {
  const source = { parameter: brief(name) }
  const types = allowed.filter((parameter) => parameter.startsWith('fields['))
  if (types.length > 0 && name.startsWith('fields[') && name.endsWith(']')) {
    const detail = `${quote(name)} is not one of: ${listed(types)}.`
    return { code: 'INVALID_ENUM_VALUE', detail, source }
  }
  const detail = `${quote(name)} is not allowed here. Allowed: ${listed(allowed)}.`
  return { code: 'UNEXPECTED_PARAMETER', detail, source }
}

/** The page that is asked for; undefined where its cursor is not one of this page, or of a size that is not accepted. */
function pageOf(
  values: Values,
  { paging }: QueryRules,
  sort: readonly SortKey[],
  scope: string,
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
  const { keys: after, limit: said = 0 } = position ?? {}
  const isSize = max === undefined ? said === size : said >= 1 && said <= max
  return isSize && after?.length === sort.length + 1
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
function listsOf(family: 'fields' | 'filter', values: Values): QuerySpec['filter'] {
  const lists: Record<string, readonly string[]> = {}
  for (const [name, items] of Object.entries(values)) {
    const key = keyIn(family, name)
    if (key !== undefined) {
      lists[key] = items
    }
  }
  return lists
}

/** The name between the brackets of a parameter of a family; undefined for other parameters. */
function keyIn(family: 'fields' | 'filter', parameter: string): string | undefined {
  return parameter.startsWith(`${family}[`) ? parameter.slice(family.length + 1, -1) : undefined
}

/** Turns dotted names into a tree. A whole field wins over its members. */
export function fieldTree(names: readonly string[]): FieldTree {
  const heads = new Map<string, string[] | 'all'>()
  for (const name of names) {
    const dot = name.indexOf('.')
    const head = dot < 0 ? name : name.slice(0, dot)
    const members = heads.get(head)
    if (dot < 0) {
      heads.set(head, 'all')
    } else if (members !== 'all') {
      heads.set(head, [...(members ?? []), name.slice(dot + 1)])
    }
  }
  return new Map(
    [...heads].map(([head, members]) => [head, members === 'all' ? members : fieldTree(members)]),
  )
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

/**
 * May the caller read this field in all resources, not only in own ones? Otherwise an order or the result of a filter would reveal
 * its values. This follows from the access rules of the attribute and of its members.
 */
export function canCompare(
  { attributes }: ResourceDefinition,
  field: string,
  principal: Principal,
): boolean {
  const attribute = attributes[field]
  const rules = attribute && [attribute, ...Object.values(attribute.members ?? {})]
  return rules?.every(({ access }) => allows(access, principal, false)) ?? field === 'id'
}

/** The faults of filters by attributes that the caller may not read. */
export function filterFaults(
  definition: ResourceDefinition,
  filters: readonly string[],
  principal: Principal,
): FaultList {
  const isAllowed = (name: string) => canCompare(definition, name, principal)
  const faults = new FaultList()
  for (const name of filters.filter((each) => !isAllowed(each))) {
    const allowed = listed(Object.keys(filtersOf(definition)).filter(isAllowed))
    faults.add(() => ({
      code: 'INVALID_ENUM_VALUE',
      detail: `This caller may not filter by ${name}. Allowed: ${allowed}.`,
      source: { parameter: `filter[${name}]` },
    }))
  }
  return faults
}
