import type { Sealer } from '../../lib/sealer.ts'
import { FaultList } from '../errors.ts'
import { quote, refused, type Verdict } from '../validate.ts'
import { decodeCursor, openCursor, type Position } from './cursor.ts'
import { type FieldTree, fieldTree } from './fields.ts'
import { formatProblem, type JudgedQuery, judgeQuery, type SentParameters } from './judge-query.ts'
import { parameters, type QueryRules, queryLimits } from './parameters.ts'

/** The relationships to include, and those of their targets. */
export type IncludeTree = ReadonlyMap<string, IncludeTree>

/** One key of the order of a page. */
export interface SortKey {
  readonly field: string
  readonly descending: boolean
}

/** Which part of a collection or a relationship is asked for. */
export interface PageSpec {
  /** Undefined: no paging, everything is returned. */
  readonly limit: number | undefined
  readonly offset: number
  readonly after: readonly string[] | undefined
  readonly strategy: 'cursor' | 'offset' | 'none'
  /** What a cursor of this page belongs to. */
  readonly scope: string
}

/** The query string of one request, understood. */
export interface QuerySpec {
  /** Undefined: the request has no `include`. */
  readonly include: IncludeTree | undefined
  /** By type; a type that is absent shows all its fields. */
  readonly fields: ReadonlyMap<string, FieldTree>
  readonly filter: Readonly<Record<string, readonly string[]>>
  readonly sort: readonly SortKey[]
  readonly page: PageSpec
}

/** Reads query strings of one kind of request, in steps, since only the later ones know the path. */
export interface QueryReader {
  /** Judges each parameter. */
  readonly judge: (sent: SentParameters) => JudgedQuery
  /** Opens the cursor of a sorted page; undefined where there is none, or it was not sealed for this page. */
  readonly open: (
    judged: JudgedQuery,
    path: string,
    sealer: Sealer,
  ) => Promise<Position | undefined>
  /**
   * Understands them together: a cursor belongs to the path, the sort and the filters it was made with.
   *
   * @param opened where the cursor of a sorted page leads to
   */
  readonly understand: (judged: JudgedQuery, path: string, opened?: Position) => Verdict<QuerySpec>
}

/** Makes a reader. Build it once; it compiles the schemas. */
export function queryReader(rules: QueryRules): QueryReader {
  const taken = parameters(rules)
  return {
    judge: (sent) => judgeQuery(sent, taken),
    async open({ values, hasScope }, path, sealer) {
      const cursor = values['page[cursor]'] as string | undefined
      const sort = sortOf(values)
      return cursor !== undefined && hasScope && sort.length > 0
        ? openCursor(sealer, scopeOf(path, sort, filterOf(values)), cursor)
        : undefined
    },
    understand: (judged, path, opened) => specOf(judged, rules, path, opened),
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
  const page = pageOf(values, rules, sort, scopeOf(path, sort, filter), opened)
  const faults = new FaultList().join(judged, ...(hasScope && !page.ok ? [page] : []))
  if (!page.ok || faults.problems.length > 0) {
    return refused(faults)
  }
  const include = values.include as string[] | undefined
  return {
    ok: true,
    value: { include: include && includeTree(include), fields, filter, sort, page: page.value },
  }
}

function pageOf(
  values: JudgedQuery['values'],
  { paging, isSized }: QueryRules,
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
  const { default: usual } = queryLimits.page
  const { minimum, maximum } = isSized ? queryLimits.page : { minimum: usual, maximum: usual }
  if (cursor !== undefined && (!position || position.limit < minimum || position.limit > maximum)) {
    const detail = `${quote(cursor)} is no cursor of this collection, sort and filter.`
    return refused({ problems: [formatProblem('page[cursor]', detail)], untold: 0 })
  }
  return {
    ok: true,
    value: {
      strategy: paging === 'offset' && cursor === undefined ? 'offset' : 'cursor',
      limit: limit ?? position?.limit ?? usual,
      offset: offset ?? 0,
      after: position?.keys,
      scope,
    },
  }
}

/** What a cursor points behind: a value for each key of the order, and the id. Only the order of ids takes one unsealed. */
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
  return uniqueKeys((values.sort as string[] | undefined) ?? [])
}

function filterOf(values: JudgedQuery['values']): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(listsOf('filter', values))
}

/** The lists of a family of parameters, by what stands between the brackets. */
function listsOf(
  family: 'fields' | 'filter',
  values: JudgedQuery['values'],
): [key: string, items: readonly string[]][] {
  const start = `${family}[`
  return Object.entries(values).flatMap(([name, items]) =>
    name.startsWith(start) ? [[name.slice(start.length, -1), items as readonly string[]]] : [],
  )
}

/** An order names each field once; a repeated field cannot change it. */
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

/** What a cursor belongs to: the path, the order and the filters of the request that made it. */
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
