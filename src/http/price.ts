import { operationsMember, sentOperations } from '../jsonapi/atomic/extension.ts'
import type { Endpoint } from '../jsonapi/declare/registry.ts'
import type { Pagination } from '../jsonapi/declare/resource.ts'
import type { ErrorSource, Problem } from '../jsonapi/errors.ts'
import type { ParsedBody } from '../jsonapi/json.ts'
import { countIdentifiers } from '../jsonapi/request/body.ts'
import { cursorLimit } from '../jsonapi/request/cursor.ts'
import {
  comparisonsOf,
  includePaths,
  isValid,
  type Parameter,
  type QueryRules,
  queryLimits,
} from '../jsonapi/request/parameters.ts'
import type { SentParameters } from '../jsonapi/request/query.ts'
import { maxOffset } from '../jsonapi/run/pagination.ts'
import { lazy } from '../lib/kept.ts'
import type { RateLimit } from '../rate-limit/policy.ts'

/** The price of a request (contract, section 10). */
export interface Price {
  /** The tokens to ask the limiter for. */
  readonly tokens: number
  /** Present where the real price is above the burst, so that no bucket can pay it. The request is then charged the least price. */
  readonly problem?: Problem
  /** The largest offset that links may have: the one that a full bucket pays for, or the bound of all offsets. */
  readonly offsetLimit?: number
}

/** What prices are made from: the parameters that were sent, and the body of a write. */
export interface Priced {
  readonly query: SentParameters
  readonly body: ParsedBody | undefined
}

/** The number of resources on a page that are paid for by one read cost. */
const resourcesPerCost = 20

/** The number of identifiers in the body of a write that are paid for by one write cost. */
const identifiersPerCost = 20

/** The extra tokens for a sorted or filtered page of a relationship or of related resources, which may look at every member. */
const comparing = 2

/** The factors of a to-many step of an include path: its targets are in memory, or are read from the database. */
const stepFactors = { inMemory: 2, read: 4 } as const

/** The rows that an offset skips for one token. */
const rowsPerToken = 1_000

/**
 * Makes the function that gives the price of reads at one endpoint. Invalid parameters are priced as if they were absent; the
 * request ends in 400 later.
 *
 * An offset above {@link maxOffset}, or one that a full bucket does not pay for, skips no row: the answer is an empty page or a
 * refusal.
 *
 * @param rulesOf is called at the first request
 */
export function readPrice(
  rulesOf: () => QueryRules,
  { operation }: Endpoint,
  limit: RateLimit,
): (request: Pick<Priced, 'query'>) => Price {
  const { capacity, readCost } = limit
  const known = lazy(() => {
    const rules = rulesOf()
    const isMany = operation === 'list' || operation === 'relatedMany'
    return {
      paging: rules.paging,
      comparisons: operation !== 'list' && rules.collection ? comparisonsOf(rules.collection) : [],
      prices: new Map(includePaths(rules).map((path) => [path, pathPrice(rules, path, isMany)])),
    }
  })
  return ({ query }) => {
    const { paging, comparisons, prices } = known()
    const takesOffset = paging !== 'none' && paging.by === 'offset'
    const included = includePrice(prices, textAt(query, 'include'))
    const pages = pageSize(paging, query) / resourcesPerCost
    const compared = firstComparison(comparisons, query)
    const usual = readCost * (1 + included) * Math.ceil(pages)
    const first = usual + (compared === undefined ? 0 : comparing)
    if (first <= capacity) {
      const affordable = (capacity - first + 1) * rowsPerToken - 1
      const most = Math.min(maxOffset, affordable)
      const skipped = takesOffset ? rowsSkipped(query, most) : 0
      return { tokens: first + Math.floor(skipped / rowsPerToken), offsetLimit: most }
    }
    const parameter = included > 0 ? 'include' : pages > 1 ? 'page[limit]' : (compared ?? '')
    return unaffordable(limit, readCost, first, {
      advice:
        'Ask for fewer include paths or a smaller page[limit], or for no sort and no filter of members.',
      source: { parameter },
    })
  }
}

/** Makes the function that gives the price of writes, which grows with the identifiers in the body. */
export function writePrice(limit: RateLimit): (request: Pick<Priced, 'body'>) => Price {
  return ({ body }) =>
    priceOfWrites(limit, [body?.ok ? body.value : undefined], {
      advice: 'Send fewer identifiers at once.',
      source: { pointer: '/data' },
    })
}

/** Makes the function that gives the price of transactions: the sum of the prices of their operations (contract, section 10). */
export function transactionPrice(limit: RateLimit): (request: Pick<Priced, 'body'>) => Price {
  return ({ body }) =>
    priceOfWrites(limit, body?.ok ? sentOperations(body.value) : [], {
      advice: 'Send fewer operations or identifiers at once.',
      source: { pointer: `/${operationsMember}` },
    })
}

/** The price of writes together, from the identifiers in their objects with `data`. */
function priceOfWrites(limit: RateLimit, writes: readonly unknown[], excess: Excess): Price {
  const { capacity, writeCost } = limit
  const costs = writes.map((write) =>
    Math.max(1, Math.ceil(countIdentifiers(write) / identifiersPerCost)),
  )
  const tokens = writeCost * costs.reduce((sum, cost) => sum + cost, 0)
  return tokens <= capacity
    ? { tokens: Math.max(tokens, leastPrice(limit, writeCost)) }
    : unaffordable(limit, writeCost, tokens, excess)
}

/** The tokens that the cheapest read or write costs, but at most as many as a bucket holds. */
export function leastPrice({ capacity }: RateLimit, cost: number): number {
  return Math.min(cost, capacity)
}

/** What is told of a request that a full bucket cannot pay: how to lower its price, and what raises it. */
interface Excess {
  readonly advice: string
  readonly source: ErrorSource
}

/**
 * The price of a request that a full bucket cannot pay: the least price, with the problem of a 400.
 *
 * @param cost the tokens of the cheapest read or write
 * @param tokens the real price of the request
 */
function unaffordable(
  limit: RateLimit,
  cost: number,
  tokens: number,
  { advice, source }: Excess,
): Price {
  const detail = `This request costs ${tokens} tokens, and a bucket holds ${limit.capacity}. ${advice}`
  return {
    tokens: leastPrice(limit, cost),
    problem: { code: 'VALUE_INVALID_FORMAT', detail, source },
  }
}

/** The price of all distinct include paths; 0 where one of them is invalid. Each prefix of a path counts as a path of its own. */
function includePrice(prices: ReadonlyMap<string, number>, include: string | undefined): number {
  const paths = include?.split(',') ?? []
  if (paths.length > queryLimits.include || !paths.every((path) => prices.has(path))) {
    return 0
  }
  const steps = new Set(
    paths.flatMap((path) => {
      const names = path.split('.')
      return names.map((_, index) => names.slice(0, index + 1).join('.'))
    }),
  )
  return [...steps].reduce((sum, step) => sum + (prices.get(step) ?? 0), 0)
}

/**
 * The product of the factors of the to-many steps of a path. Where one resource is asked for, the first such step has none: it
 * leads to the resources of one page.
 */
function pathPrice({ registry, definition }: QueryRules, path: string, isMany: boolean): number {
  let type = definition
  let product = 1
  let isFree = !isMany
  for (const step of path.split('.')) {
    const relationship = type.relationships[step]
    if (relationship) {
      type = registry.get(relationship.target)
      if (relationship.cardinality === 'many') {
        product *= isFree ? 1 : type.snapshot ? stepFactors.inMemory : stepFactors.read
        isFree = false
      }
    }
  }
  return product
}

/** The name of a valid parameter by which a request sorts or filters; undefined where there is none. */
function firstComparison(
  comparisons: readonly Parameter[],
  query: SentParameters,
): string | undefined {
  return comparisons.find(({ name, validate }) => {
    const sent = textAt(query, name)
    // An empty sort sorts by nothing.
    const isEmptySort = name === 'sort' && sent === ''
    return sent !== undefined && !isEmptySort && isValid(validate(sent))
  })?.name
}

/** The most resources of the page: `page[limit]`, or else the limit in the cursor. What is read as a whole costs one page. */
function pageSize(paging: Pagination, query: SentParameters): number {
  if (paging === 'none') {
    return resourcesPerCost
  }
  const { size, max } = paging
  if (max === undefined) {
    return size
  }
  const taken = (limit: number | undefined): number | undefined =>
    limit !== undefined && limit >= 1 && limit <= max ? limit : undefined
  const sent = taken(wholeNumber(textAt(query, 'page[limit]') ?? ''))
  const cursor = textAt(query, 'page[cursor]')
  return sent ?? (cursor === undefined ? undefined : taken(cursorLimit(cursor))) ?? size
}

function rowsSkipped(query: SentParameters, offsetLimit: number): number {
  const offset = wholeNumber(textAt(query, 'page[offset]') ?? '') ?? 0
  return offset <= offsetLimit ? offset : 0
}

/** The value of a parameter that was sent exactly once. */
function textAt(query: SentParameters, name: string): string | undefined {
  const value = query[name]
  return typeof value === 'string' ? value : undefined
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,20}$/.test(text) ? Number(text) : undefined
}
