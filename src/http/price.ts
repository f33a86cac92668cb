import type { Endpoint } from '../jsonapi/declare/endpoint.ts'
import type { ErrorSource, Problem } from '../jsonapi/errors.ts'
import type { ParsedBody } from '../jsonapi/json.ts'
import { cursorLimit } from '../jsonapi/request/cursor.ts'
import { countIdentifiers } from '../jsonapi/request/identifiers.ts'
import type { SentParameters } from '../jsonapi/request/judge-query.ts'
import { operationsMember, sentOperations } from '../jsonapi/request/operations.ts'
import {
  comparisonsOf,
  includePaths,
  type QueryRules,
  queryLimits,
} from '../jsonapi/request/parameters.ts'
import { takes } from '../jsonapi/validate.ts'
import type { RateLimit } from '../rate-limit/policy.ts'

/** What a request costs (contract, section 10). */
export interface Price {
  /** Tokens to ask the limiter for. */
  readonly tokens: number
  /** Why the request can never be paid: its own price is above the burst, so that it is charged the least one. */
  readonly problem?: Problem
  /** The largest offset that a full bucket pays for, or the bound of all offsets: links lead no further. */
  readonly mostOffset?: number
}

/** Identifiers in the body of a write that cost as much as none. */
const identifiersPerCost = 20

/** Tokens for a sorted or filtered page of a relationship or of related resources: it may look at every member. */
const comparing = 2

/** Rows that an offset skips for a token. */
const rowsPerToken = 1_000

/**
 * The price of reads at one endpoint. What is not valid is priced as if it were absent; it is a 400 later.
 *
 * @param mostOffset the largest offset within a collection. Past it, and past what a full bucket pays for, no row is skipped:
 * there is an empty page or a refusal
 */
export function readPrice(
  rules: QueryRules,
  { operation }: Endpoint,
  limit: RateLimit,
  mostOffset: number,
): (query: SentParameters) => Price {
  const { capacity, readCost } = limit
  const isMembers = operation !== 'list'
  const isMany = operation === 'list' || operation === 'relatedMany'
  const prices = new Map(includePaths(rules).map((path) => [path, pathPrice(rules, path, isMany)]))
  return (query) => {
    const included = includePrice(prices, textAt(query, 'include'))
    const pages = rules.paging === 'none' ? 1 : pageLimit(rules, query) / queryLimits.page.default
    const compared = isMembers ? comparedBy(rules, query) : undefined
    const usual = readCost * (1 + included) * Math.ceil(pages)
    const first = usual + (compared === undefined ? 0 : comparing)
    if (first <= capacity) {
      const affordable = (capacity - first + 1) * rowsPerToken - 1
      const most = Math.min(mostOffset, affordable)
      const skipped = rules.paging === 'offset' ? rowsSkipped(query, most) : 0
      return { tokens: first + Math.floor(skipped / rowsPerToken), mostOffset: most }
    }
    const parameter = included > 0 ? 'include' : pages > 1 ? 'page[limit]' : (compared ?? '')
    return unaffordable(limit, readCost, first, {
      advice:
        'Ask for fewer include paths or a smaller page[limit], or for no sort and no filter of members.',
      source: { parameter },
    })
  }
}

/** The price of writes: more where the body holds more identifiers. */
export function writePrice(limit: RateLimit): (body: ParsedBody | undefined) => Price {
  const { capacity, writeCost } = limit
  return (body) => {
    const tokens = tokensOf(body?.ok ? body.value : undefined, writeCost)
    return tokens <= capacity
      ? { tokens }
      : unaffordable(limit, writeCost, tokens, {
          advice: 'Send fewer identifiers at once.',
          source: { pointer: '/data' },
        })
  }
}

/** The price of transactions: the sum of what their operations would cost by themselves (contract, section 13). */
export function transactionPrice(limit: RateLimit): (body: ParsedBody) => Price {
  const { capacity, writeCost } = limit
  return (body) => {
    const operations = body.ok ? sentOperations(body.value) : []
    const tokens = operations.reduce<number>((sum, one) => sum + tokensOf(one, writeCost), 0)
    return tokens <= capacity
      ? { tokens: Math.max(tokens, leastPrice(limit, writeCost)) }
      : unaffordable(limit, writeCost, tokens, {
          advice: 'Send fewer operations or identifiers at once.',
          source: { pointer: `/${operationsMember}` },
        })
  }
}

/** The tokens that the cheapest read or write takes, never more than a bucket holds. */
export function leastPrice({ capacity }: RateLimit, cost: number): number {
  return Math.min(cost, capacity)
}

/**
 * The price of a request that a full bucket does not pay for: that of the cheapest one, with the reason for a 400.
 *
 * @param cost tokens of the cheapest read or write
 * @param tokens the request's own price
 */
function unaffordable(
  limit: RateLimit,
  cost: number,
  tokens: number,
  { advice, source }: { readonly advice: string; readonly source: ErrorSource },
): Price {
  const detail = `This request costs ${tokens} tokens, and a bucket holds ${limit.capacity}. ${advice}`
  return {
    tokens: leastPrice(limit, cost),
    problem: { code: 'VALUE_INVALID_FORMAT', detail, source },
  }
}

/** Tokens that a write costs by the identifiers of an object with `data`. */
function tokensOf(body: unknown, writeCost: number): number {
  return writeCost * Math.max(1, Math.ceil(countIdentifiers(body) / identifiersPerCost))
}

/** The price of all distinct paths, each prefix of a path counted as a path of its own. */
function includePrice(prices: ReadonlyMap<string, number>, include: string | undefined): number {
  const paths = include?.split(',', queryLimits.include + 1) ?? []
  if (paths.length > queryLimits.include) {
    return 0
  }
  const steps = new Set<string>()
  for (const path of paths) {
    if (prices.has(path)) {
      for (let end = path.indexOf('.'); end >= 0; end = path.indexOf('.', end + 1)) {
        steps.add(path.slice(0, end))
      }
      steps.add(path)
    }
  }
  let sum = 0
  for (const step of steps) {
    sum += prices.get(step) ?? 0
  }
  return sum
}

/** Two to the power of the to-many steps of a path; where one resource is asked for, the first of them is free. */
function pathPrice({ registry, definition }: QueryRules, path: string, isMany: boolean): number {
  let type = definition
  let toMany = isMany ? 0 : -1
  for (const step of path.split('.')) {
    const relationship = type.relationships[step]
    if (relationship) {
      toMany += relationship.cardinality === 'many' ? 1 : 0
      type = registry.get(relationship.target)
    }
  }
  return 2 ** Math.max(0, toMany)
}

/** The parameter by which a request sorts or filters, if it is valid. */
function comparedBy({ collection }: QueryRules, query: SentParameters): string | undefined {
  const comparisons = Object.entries(collection ? comparisonsOf(collection) : {})
  const [name] =
    comparisons.find(([parameter, schema]) => {
      const sent = textAt(query, parameter)
      // An empty sort sorts by nothing.
      return sent !== undefined && !(parameter === 'sort' && sent === '') && takes(schema, sent)
    }) ?? []
  return name
}

/** How many resources a page holds at most: `page[limit]`, or else the limit inside the cursor. */
function pageLimit({ isSized }: QueryRules, query: SentParameters): number {
  const { default: usual, minimum, maximum } = queryLimits.page
  if (!isSized) {
    return usual
  }
  const sent = textAt(query, 'page[limit]')
  const cursor = textAt(query, 'page[cursor]')
  const limit = sent === undefined ? cursor && cursorLimit(cursor) : wholeNumber(sent)
  return limit && limit >= minimum && limit <= maximum ? limit : usual
}

function rowsSkipped(query: SentParameters, mostOffset: number): number {
  const offset = wholeNumber(textAt(query, 'page[offset]') ?? '') ?? 0
  return offset <= mostOffset ? offset : 0
}

/** A parameter that is sent once. */
function textAt(query: SentParameters, name: string): string | undefined {
  const value = query[name]
  return typeof value === 'string' ? value : undefined
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,20}$/.test(text) ? Number(text) : undefined
}
