import type { Endpoint, Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import type { ErrorSource, Problem } from '../jsonapi/problems.ts'
import type { Payload } from '../jsonapi/request/body.ts'
import type { PathTree, QuerySpec } from '../jsonapi/request/query.ts'
import { maxOffset } from '../jsonapi/run/pagination.ts'
import type { RateLimit } from '../rate-limit/policy.ts'

/** The price of a request. */
export interface Price {
  readonly tokens: number
  /** Present if the price is above the burst. The request is then a 400 that costs the minimum price. */
  readonly problem?: Problem
  /** The largest `page[offset]` within a collection: a full bucket pays for it. */
  readonly offsetLimit?: number
}

/** Resources on a page, or identifiers in a body, that one read cost or write cost pays for. */
const itemsPerCost = 20

/** How many skipped rows one token pays for. */
const rowsPerToken = 1_000

/** The extra price of a sorted or filtered page of a relationship, because every member may be compared. */
const comparisonPrice = 2

/** The factor of a to-many step of an include path, by where its targets are. */
const stepFactors = { memory: 2, database: 4 } as const

/**
 * The price of the cheapest read or write. Never more than the burst: a write cost above it is a valid configuration, and a full bucket
 * must pay for a refusal.
 */
export function minPrice({ capacity, readCost, writeCost }: RateLimit, reads: boolean): number {
  return Math.min(reads ? readCost : writeCost, capacity)
}

/** The price of a valid read. */
export function priceOfRead(
  registry: Registry,
  { subject, operation }: Endpoint,
  { include, filter, sort, page }: QuerySpec,
  limit: RateLimit,
): Price {
  const { capacity, readCost } = limit
  const isPage = operation === 'list' || operation === 'relatedMany'
  const included = include ? priceOfIncludes(registry, subject, include, !isPage) : 0
  const pages = Math.ceil((page.limit ?? itemsPerCost) / itemsPerCost)
  const filters = Object.keys(filter).map((name) => `filter[${name}]`)
  const [compared] = [...filters, ...(sort.length > 0 ? ['sort'] : [])]
  const isCompared = operation !== 'list' && compared !== undefined
  const tokens = readCost * (1 + included) * pages + (isCompared ? comparisonPrice : 0)
  if (tokens > capacity) {
    const parameter = included > 0 ? 'include' : pages > 1 ? 'page[limit]' : (compared ?? '')
    const advice =
      'Ask for fewer include paths or a smaller page[limit], or for no sort and no filter of members.'
    return tooExpensive(limit, true, tokens, advice, { parameter })
  }
  const affordable = (capacity - tokens + 1) * rowsPerToken - 1
  const offsetLimit = Math.min(maxOffset, affordable)
  // A larger offset skips no rows: the answer is an empty page or an error.
  const skipped = page.offset <= offsetLimit ? page.offset : 0
  return { tokens: tokens + Math.floor(skipped / rowsPerToken), offsetLimit }
}

/**
 * The price of include paths. Each path costs the product of its factors.
 *
 * @param isFree has the first to-many step no factor? It has none if one resource is asked for
 * @param factor the product of the steps before
 */
function priceOfIncludes(
  registry: Registry,
  { relationships }: ResourceDefinition,
  tree: PathTree,
  isFree: boolean,
  factor = 1,
): number {
  let sum = 0
  for (const [name, subtree] of tree) {
    const { target = '', cardinality } = relationships[name] ?? {}
    const definition = registry.get(target)
    const isMany = cardinality === 'many'
    const step = definition.snapshot ? stepFactors.memory : stepFactors.database
    const product = isMany && !isFree ? factor * step : factor
    sum += product + priceOfIncludes(registry, definition, subtree, isFree && !isMany, product)
  }
  return sum
}

/** The price of valid writes together. It grows with the identifiers in each of their bodies. */
export function priceOfWrites(
  payloads: readonly Pick<Payload, 'relationships'>[],
  limit: RateLimit,
  source: ErrorSource,
): Price {
  const costs = payloads.map(({ relationships }) => {
    const identifiers = Object.values(relationships).flat().length
    return Math.max(1, Math.ceil(identifiers / itemsPerCost))
  })
  const tokens = limit.writeCost * costs.reduce((sum, cost) => sum + cost, 0)
  return tokens <= limit.capacity
    ? { tokens }
    : tooExpensive(limit, false, tokens, 'Send fewer operations or identifiers at once.', source)
}

function tooExpensive(
  limit: RateLimit,
  reads: boolean,
  tokens: number,
  advice: string,
  source: ErrorSource,
): Price {
  const detail = `This request costs ${tokens} tokens, and a bucket holds ${limit.capacity}. ${advice}`
  return {
    tokens: minPrice(limit, reads),
    problem: { code: 'VALUE_INVALID_FORMAT', detail, source },
  }
}
