import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPrice, writePrice } from '../../../src/http/price.ts'
import { endpointName, endpointsOf } from '../../../src/jsonapi/declare/registry.ts'
import { parseBody } from '../../../src/jsonapi/json.ts'
import { encodeCursor, sealCursor } from '../../../src/jsonapi/request/cursor.ts'
import { queryRules } from '../../../src/jsonapi/request/parameters.ts'
import { rateLimitFrom } from '../../../src/rate-limit/policy.ts'
import { registry } from '../../../src/resources/index.ts'
import { sealer } from '../../support/sealer.ts'

/** The limits where nothing is configured. */
const defaultRateLimit = rateLimitFrom({})

function priceOf(name: string, query: Readonly<Record<string, string>>, limit = defaultRateLimit) {
  const endpoint = endpointsOf(registry).find((each) => endpointName(each) === name)
  if (!endpoint) {
    throw new Error(`No endpoint ${name}`)
  }
  const rules = () => queryRules(registry, endpoint)
  return readPrice(rules, endpoint, limit)({ query })
}

describe('the price of a read (contract, section 10)', () => {
  it.each<[name: string, query: Readonly<Record<string, string>>, tokens: number]>([
    ['users.list', {}, 1],
    ['countries.get', { include: 'currencies' }, 2],
    ['users.list', { include: 'placeOfBirth' }, 2],
    ['users.list', { include: 'relatives,relatives' }, 5],
    ['users.list', { include: 'relatives.citizenships' }, 13],
    ['users.list', { include: 'citizenships.currencies' }, 7],
    ['users.list', { include: 'relatives.relatives' }, 21],
    ['users.list', { include: 'citizenships,placeOfBirth,relatives' }, 8],
    ['users.get', { include: 'relatives.relatives' }, 6],
    ['users.get', { include: 'placeOfBirth.currencies' }, 3],
    ['users.relatives.readMany', { include: 'relatives.relatives' }, 6],
    ['users.relatives.readMany', { sort: 'fullName' }, 3],
    ['users.relatives.readMany', { sort: '', include: 'relatives' }, 2],
    ['users.relatives.readMany', { 'filter[id]': '1', include: 'relatives' }, 4],
    ['users.relatives.readMany', { 'page[limit]': '100' }, 1],
    ['users.citizenships.readMany', { 'filter[region]': 'EUROPE' }, 3],
    ['users.relatives.relatedMany', { include: 'relatives', sort: 'email' }, 7],
    ['users.relatives.relatedMany', { include: 'relatives', 'page[limit]': '100' }, 25],
    ['users.relatives.relatedMany', { 'page[limit]': '40', 'filter[id]': '' }, 4],
    ['users.placeOfBirth.relatedOne', { include: 'currencies' }, 2],
    ['users.list', { sort: 'email', 'filter[id]': '1' }, 1],
    ['users.list', { 'page[limit]': '20' }, 1],
    ['users.list', { 'page[limit]': '21' }, 2],
    ['users.list', { 'page[limit]': '80', include: 'relatives.relatives' }, 84],
    ['users.list', { 'page[offset]': '999' }, 1],
    ['users.list', { 'page[offset]': '1000' }, 2],
    ['users.list', { 'page[offset]': '99999' }, 100],
    ['users.list', { 'page[cursor]': encodeCursor('any', '1', 100) }, 5],
    ['users.list', { 'page[cursor]': encodeCursor('any', '1', 100), 'page[limit]': 'x' }, 5],
  ])('of %s with %j is %d', (name, query, tokens) => {
    expect(priceOf(name, query)).toMatchObject({ tokens })
    expect(priceOf(name, query)).not.toHaveProperty('problem')
  })

  it.each<[name: string, query: Readonly<Record<string, string>>]>([
    ['users.list', { include: 'relatives.friends' }],
    ['users.list', { include: 'relatives.relatives,friends' }],
    ['users.list', { include: '' }],
    ['users.list', { include: Array(11).fill('relatives').join() }],
    ['users.list', { include: '__proto__,constructor' }],
    ['users.list', { 'page[limit]': '101' }],
    ['users.list', { 'page[offset]': '1e5' }],
    ['users.list', { 'page[cursor]': 'none' }],
    ['users.relatives.readMany', { sort: 'name' }],
    ['users.relatives.readMany', { sort: 'email,,' }],
    ['users.relatives.relatedMany', { 'filter[id]': Array(21).fill('x').join() }],
    ['users.relatives.relatedMany', { 'filter[region]': 'Asia' }],
    ['users.placeOfBirth.relatedOne', { sort: 'name', 'filter[id]': 'NO' }],
    ['countries.list', { 'page[cursor]': encodeCursor('any', '1', 100) }],
  ])('takes what %s does not accept as absent: %j', (name, query) => {
    expect(priceOf(name, query).tokens).toBe(1)
  })

  it('follows the page size of a sealed cursor', async () => {
    const position = { keys: ['a', '1'], limit: 100 }
    const cursor = await sealCursor(sealer, 'any', position)
    expect(priceOf('users.list', { 'page[cursor]': cursor }).tokens).toBe(5)
  })

  it('counts no skipped rows past the largest offset, where there is an empty page or a refusal', () => {
    expect(priceOf('users.list', { 'page[offset]': '9223372036854775807' }).tokens).toBe(1)
    expect(priceOf('users.list', { 'page[offset]': '100001' }).tokens).toBe(1)
  })

  it('counts no skipped rows past the offset that a full bucket pays for', () => {
    const query = { 'page[limit]': '100', 'page[offset]': '95999' }
    expect(priceOf('users.list', query)).toEqual({ tokens: 100, offsetLimit: 95_999 })
    const past = { 'page[limit]': '100', 'page[offset]': '96000' }
    expect(priceOf('users.list', past)).toEqual({ tokens: 5, offsetLimit: 95_999 })
  })

  it('is a problem, and charged the least, where it is above the burst', () => {
    const include = 'relatives.relatives'
    expect(priceOf('users.list', { 'page[limit]': '81', include })).toMatchObject({
      tokens: 1,
      problem: { code: 'VALUE_INVALID_FORMAT', source: { parameter: 'include' } },
    })
    const small = { ...defaultRateLimit, capacity: 4 }
    expect(priceOf('users.list', { 'page[limit]': '100' }, small)).toMatchObject({
      tokens: 1,
      problem: { source: { parameter: 'page[limit]' } },
    })
    const least = { ...defaultRateLimit, capacity: 2 }
    expect(priceOf('users.relatives.readMany', { sort: 'email' }, least)).toMatchObject({
      tokens: 1,
      problem: { source: { parameter: 'sort' } },
    })
  })

  it('follows the configured cost of a read', () => {
    const limit = { ...defaultRateLimit, readCost: 3 }
    expect(priceOf('users.list', { include: 'relatives' }, limit).tokens).toBe(15)
  })

  it('lets links lead as far as their own price allows', () => {
    for (const include of ['', 'relatives', 'citizenships.currencies']) {
      for (const size of ['20', '100']) {
        const query = { include, 'page[limit]': size }
        const { offsetLimit: farthest = 0 } = priceOf('users.list', query)
        const at = (offset: number) =>
          priceOf('users.list', { ...query, 'page[offset]': String(offset) }).tokens
        expect(at(farthest)).toBeLessThanOrEqual(100)
        expect(at(farthest + 1)).toBe(at(0))
        expect(farthest === 100_000 || at(farthest) === 100).toBe(true)
      }
    }
  })

  it('is a whole number of at least one token, and at most the burst, for any query', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc
        .array(fc.constantFrom('relatives', 'placeOfBirth', 'relatives.relatives', 'x'))
        .map(String),
    )
    const names = fc.constantFrom('include', 'page[limit]', 'page[offset]', 'page[cursor]')
    fc.assert(
      fc.property(fc.dictionary(names, value), (query) => {
        const { tokens } = priceOf('users.list', query)
        expect(Number.isInteger(tokens) && tokens >= 1 && tokens <= 100).toBe(true)
      }),
    )
  })
})

describe('the price of a write (contract, section 10)', () => {
  const price = writePrice(defaultRateLimit)
  const of = (sent: unknown) =>
    price({ body: parseBody(new TextEncoder().encode(JSON.stringify(sent))) })
  const identifiers = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ type: 'users', id: String(index) }))

  it.each([
    [0, 5],
    [1, 5],
    [20, 5],
    [21, 10],
    [100, 25],
    [101, 5],
    [3_000, 5],
  ])(
    'with %d identifiers is %d, and more than a body may hold are priced as absent',
    (count, tokens) => {
      expect(of({ data: identifiers(count) })).toEqual({ tokens })
      const half = identifiers(Math.floor(count / 2))
      const rest = identifiers(Math.ceil(count / 2))
      const relationships = { relatives: { data: half }, citizenships: { data: rest } }
      expect(of({ data: { type: 'users', relationships } })).toEqual({ tokens })
    },
  )

  it.each([
    [undefined],
    [{}],
    [{ data: null }],
    [{ data: { relationships: null } }],
    [{ data: { relationships: [1, 'a', null] } }],
    [[]],
    ['no object'],
  ])('of %j is the least', (body) => {
    expect(body === undefined ? price({ body }) : of(body)).toEqual({ tokens: 5 })
  })

  it('is a problem, and charged a whole bucket, where the cost of every write is above the burst', () => {
    expect(writePrice({ ...defaultRateLimit, capacity: 4 })({ body: undefined })).toMatchObject({
      tokens: 4,
      problem: { source: { pointer: '/data' } },
    })
  })

  it('is a problem, and charged the least, where it is above the burst', () => {
    const dear = writePrice({ ...defaultRateLimit, capacity: 20 })
    const body = parseBody(new TextEncoder().encode(JSON.stringify({ data: identifiers(100) })))
    expect(dear({ body })).toMatchObject({ tokens: 5, problem: { source: { pointer: '/data' } } })
  })
})
