import { lazy } from '../../lib/lazy.ts'
import type { Sealer } from '../../lib/sealer.ts'
import { FaultList } from '../errors.ts'
import { refused, refusedFor, type Verdict } from '../validate.ts'
import { quote } from '../wording.ts'
import { decodeCursor, openCursor, type Position } from './cursor.ts'
import { type FieldTree, fieldTree } from './fields.ts'
import {
  formatProblem,
  type JudgedQuery,
  judgeQuery,
  noParameters,
  type SentParameters,
} from './judge-query.ts'
import { parameters, type QueryRules } from './parameters.ts'

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

/** Reads query strings of one kind of request. It takes steps, because the first one is done before the path is known. */
export interface QueryReader {
  readonly rules: QueryRules
  /** Judges each parameter by itself. */
  readonly judge: (sent: SentParameters) => JudgedQuery
  /** Opens a sealed cursor; undefined where there is none, or it was not sealed for this path, sort and filters. */
  readonly open: (
    judged: JudgedQuery,
    path: string,
    sealer: Sealer,
  ) => undefined | Promise<Position | undefined>
  /**
   * Gives the meaning of all parameters together. A cursor is refused that was made for another path, sort or filter.
   *
   * @param opened the position in the sealed cursor, from `open`
   */
  readonly understand: (judged: JudgedQuery, path: string, opened?: Position) => Verdict<QuerySpec>
}

/** Makes a reader of query strings. Build it once: it keeps the schemas that it makes. */
export function queryReader(rules: QueryRules): QueryReader {
  const taken = parameters(rules)
  // Most requests have no query string.
  const unasked = lazy(() => judgeQuery(noParameters, taken))
  // Without pages, nothing that such a request means depends on its path.
  const unaskedSpec = lazy(() => specOf(unasked(), rules, '', undefined))
  return {
    rules,
    judge: (sent) => (sent === noParameters ? unasked() : judgeQuery(sent, taken)),
    open({ values }, path, sealer) {
      const cursor = values['page[cursor]'] as string | undefined
      const sort = sortOf(values)
      return cursor !== undefined && sort.length > 0
        ? openCursor(sealer, scopeOf(path, sort, filterOf(values)), cursor)
        : undefined
    },
    understand: (judged, path, opened) =>
      rules.paging === 'none' && judged === unasked()
        ? unaskedSpec()
        : specOf(judged, rules, path, opened),
  }
}

function specOf(
  judged: JudgedQuery,
  rules: QueryRules,
  path: string,
  opened: Position | undefined,
): Verdict<QuerySpec> {
  const { values, hasScope } = judged
  const sort = sortOf(values)
  const filter = filterOf(values)
  const fields = new Map(
    listsOf('fields', values).map(([type, items]) => [type, fieldTree(items)] as const),
  )
  const scope = rules.paging === 'none' ? '' : scopeOf(path, sort, filter)
  const page = pageOf(values, rules, sort, scope, opened)
  if (!page.ok || judged.problems.length > 0) {
    return refused(new FaultList().join(judged, ...(hasScope && !page.ok ? [page] : [])))
  }
  const include = values.include as string[] | undefined
  return {
    ok: true,
    value: { include: include && includeTree(include), fields, filter, sort, page: page.value },
  }
}

function pageOf(
  values: JudgedQuery['values'],
  { paging }: QueryRules,
  sort: readonly SortKey[],
  scope: string,
  opened: Position | undefined,
): Verdict<PageSpec> {
  const cursor = values['page[cursor]'] as string | undefined
  const limit = values['page[limit]'] as number | undefined
  const offset = values['page[offset]'] as number | undefined
  if (paging === 'none') {
    return {
      ok: true,
      value: { strategy: 'none', limit: undefined, offset: 0, after: undefined, scope },
    }
  }
  const position = cursor === undefined ? undefined : positionAt(cursor, sort, scope, opened)
  const { size, most } = paging
  const isTaken = (asked: number): boolean =>
    most === undefined ? asked === size : asked >= 1 && asked <= most
  if (cursor !== undefined && (!position || !isTaken(position.limit))) {
    const detail = `${quote(cursor)} is not a cursor of this path with this sort and these filters.`
    return refusedFor(formatProblem('page[cursor]', detail))
  }
  return {
    ok: true,
    value: {
      strategy: paging.by === 'offset' && cursor === undefined ? 'offset' : 'cursor',
      limit: limit ?? position?.limit ?? size,
      offset: offset ?? 0,
      after: position?.keys,
      scope,
    },
  }
}

/**
 * The row that a page begins after: a value for each key of the order, and the id. A cursor that is not sealed is taken in the
 * order of ids alone.
 */
function positionAt(
  cursor: string,
  sort: readonly SortKey[],
  scope: string,
  opened: Position | undefined,
): Position | undefined {
  const position = sort.length > 0 ? opened : decodeCursor(scope, cursor)
  return position?.keys.length === sort.length + 1 ? position : undefined
}

function sortOf(values: JudgedQuery['values']): SortKey[] {
  const sort = values.sort as string[] | undefined
  return sort ? uniqueKeys(sort) : []
}

function filterOf(values: JudgedQuery['values']): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(listsOf('filter', values))
}

/** The lists of the parameters of a family, by the name between the brackets: `fields[articles]` by `articles`. */
function listsOf(
  family: 'fields' | 'filter',
  values: JudgedQuery['values'],
): [key: string, items: readonly string[]][] {
  const start = `${family}[`
  return Object.entries(values).flatMap(([name, items]) =>
    name.startsWith(start) ? [[name.slice(start.length, -1), items as readonly string[]]] : [],
  )
}

/** The keys of an order, each field once: a repeated field cannot change the order. */
function uniqueKeys(items: readonly string[]): SortKey[] {
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

/** The text of the path, the sort and the filters that a cursor belongs to. */
export function scopeOf(
  path: string,
  sort: readonly SortKey[],
  filter: Readonly<Record<string, readonly string[]>>,
): string {
  const filters = Object.entries(filter).map(([name, items]) => [name, items.toSorted()])
  return JSON.stringify([path, sort, filters.toSorted()])
}

function includeTree(paths: readonly string[]): IncludeTree {
  const tree = new Map<string, IncludeTree>()
  const grow = (node: Map<string, IncludeTree>, [step, ...rest]: readonly string[]): void => {
    if (step !== undefined) {
      const child = (node.get(step) as Map<string, IncludeTree> | undefined) ?? new Map()
      node.set(step, child)
      grow(child, rest)
    }
  }
  for (const path of paths) {
    grow(tree, path.split('.'))
  }
  return tree
}
