import * as z from 'zod/mini'
import { decodeCursor, type Position } from './cursor.ts'
import type { Problem } from './errors.ts'
import { type FieldTree, fieldTree } from './fields.ts'
import { parameters, type QueryRules, queryLimits } from './parameters.ts'
import {
  check,
  demand,
  type Issue,
  listed,
  quote,
  type Schema,
  type Verdict,
  valueAt,
} from './validate.ts'

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
  readonly judge: (input: unknown) => Verdict<Parameters>
  /** Understands them together: a cursor belongs to the path, the sort and the filters it was made with. */
  readonly understand: (parameters: Parameters, path: string) => Verdict<QuerySpec>
}

/** Makes a reader. Build it once; it compiles the schema. */
export function queryReader(rules: QueryRules): QueryReader {
  const shape = parameters(rules)
  const optional = Object.entries(shape).map(([name, schema]) => [name, z.optional(schema)])
  const schema = z.strictObject(Object.fromEntries(optional)) as Schema<Parameters>
  return {
    judge: (input) => {
      const verdict = check(schema, input, (issue, value) => problemsOf(issue, value, shape))
      const clashes = rules.paging === 'offset' ? pageClashes(input) : []
      return clashes.length === 0
        ? verdict
        : { ok: false, problems: [...(verdict.ok ? [] : verdict.problems), ...clashes] }
    },
    understand: (values, path) => specOf(values, rules, path),
  }
}

/** Judged parameters by name; which ones there can be is up to the rules. */
type Parameters = Readonly<Record<string, unknown>>

function specOf(values: Parameters, rules: QueryRules, path: string): Verdict<QuerySpec> {
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
  const page = pageOf(values, rules, scopeOf(path, sort, filter))
  if (!page.ok) {
    return page
  }
  const include = listAt('include')
  return {
    ok: true,
    value: { include: include && includeTree(include), fields, filter, sort, page: page.value },
  }
}

function pageOf(values: Parameters, { paging }: QueryRules, scope: string): Verdict<PageSpec> {
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
    cursor === undefined ? undefined : decodeCursor(scope, cursor)
  const { minimum, maximum } = queryLimits.page
  if (cursor !== undefined && (!position || position.limit < minimum || position.limit > maximum)) {
    const detail = `${quote(cursor)} is no cursor of this collection, sort and filter.`
    return { ok: false, problems: [pageProblem('page[cursor]', detail)] }
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

/** What is wrong with page parameters only together. */
function pageClashes(input: unknown): Problem[] {
  const isSent = (name: string): boolean => valueAt(input, [name]) !== undefined
  return isSent('page[cursor]') && isSent('page[offset]')
    ? [pageProblem('page[offset]', 'page[offset] cannot stand beside page[cursor].')]
    : []
}

function pageProblem(parameter: string, detail: string): Problem {
  return { code: 'VALUE_INVALID_FORMAT', detail, source: { parameter } }
}

function problemsOf(
  issue: Issue,
  input: unknown,
  shape: Readonly<Record<string, Schema>>,
): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => unknownParameter(name, Object.keys(shape)))
  }
  const parameter = String(issue.path[0])
  const value = valueAt(input, issue.path.slice(0, 1))
  const source = { parameter }
  if (Array.isArray(value)) {
    return [
      { code: 'VALUE_INVALID_FORMAT', detail: `${parameter} is given more than once.`, source },
    ]
  }
  const item = typeof issue.path[1] === 'number' ? String(value).split(',')[issue.path[1]] : value
  if (issue.code === 'invalid_value') {
    const detail = `${quote(item)} is not one of: ${listed(issue.values)}.`
    return [{ code: 'INVALID_ENUM_VALUE', detail, source }]
  }
  return [{ code: 'VALUE_INVALID_FORMAT', detail: `${quote(item)}: ${demand(issue)}.`, source }]
}

function unknownParameter(name: string, allowed: readonly string[]): Problem {
  const source = { parameter: name }
  const types = allowed.filter((parameter) => parameter.startsWith('fields['))
  if (types.length > 0 && name.startsWith('fields[') && name.endsWith(']')) {
    return {
      code: 'INVALID_ENUM_VALUE',
      detail: `${quote(name)} is not one of: ${listed(types)}.`,
      source,
    }
  }
  const detail = `${quote(name)} is not taken here. Allowed: ${listed(allowed)}.`
  return { code: 'UNEXPECTED_PARAMETER', detail, source }
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
