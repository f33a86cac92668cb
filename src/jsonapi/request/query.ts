import { FaultList } from '../errors.ts'
import { quote, refused, type Verdict } from '../validate.ts'
import { decodeCursor, type Position } from './cursor.ts'
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

/** Reads query strings of one kind of request, in two steps, since only the second one knows the path. */
export interface QueryReader {
  /** Judges each parameter. */
  readonly judge: (sent: SentParameters) => JudgedQuery
  /** Understands them together: a cursor belongs to the path, the sort and the filters it was made with. */
  readonly understand: (judged: JudgedQuery, path: string) => Verdict<QuerySpec>
}

/** Makes a reader. Build it once; it compiles the schemas. */
export function queryReader(rules: QueryRules): QueryReader {
  const taken = parameters(rules)
  return {
    judge: (sent) => judgeQuery(sent, taken),
    understand: (judged, path) => specOf(judged, rules, path),
  }
}

function specOf(judged: JudgedQuery, rules: QueryRules, path: string): Verdict<QuerySpec> {
  const { values, hasScope } = judged
  const listAt = (name: string) => values[name] as string[] | undefined
  const sort = uniqueKeys(listAt('sort') ?? [])
  const filter: Record<string, readonly string[]> = {}
  const fields = new Map<string, FieldTree>()
  for (const name of Object.keys(values)) {
    const [, family, key] = /^(fields|filter)\[(.*)\]$/.exec(name) ?? []
    const items = listAt(name)
    if (key !== undefined && items) {
      if (family === 'filter') {
        filter[key] = items
      } else {
        fields.set(key, fieldTree(items))
      }
    }
  }
  const page = pageOf(values, rules, sort, scopeOf(path, sort, filter))
  const faults = new FaultList().join(judged, ...(hasScope && !page.ok ? [page] : []))
  if (!page.ok || faults.problems.length > 0) {
    return refused(faults)
  }
  const include = listAt('include')
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
  const position: Position | undefined =
    cursor === undefined ? undefined : positionAt(cursor, sort, scope)
  const { minimum, maximum } = queryLimits.page
  if (cursor !== undefined && (!position || position.limit < minimum || position.limit > maximum)) {
    const detail = `${quote(cursor)} is no cursor of this collection, sort and filter.`
    return refused({ problems: [formatProblem('page[cursor]', detail)], untold: 0 })
  }
  return {
    ok: true,
    value: {
      strategy: paging === 'offset' && cursor === undefined ? 'offset' : 'cursor',
      limit: limit ?? position?.limit ?? queryLimits.page.default,
      offset: offset ?? 0,
      after: position?.keys,
      scope,
    },
  }
}

/** What a cursor points behind: a value for each key of the order, and the id. */
function positionAt(cursor: string, sort: readonly SortKey[], scope: string): Position | undefined {
  const position = decodeCursor(scope, cursor)
  return position?.keys.length === sort.length + 1 ? position : undefined
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
