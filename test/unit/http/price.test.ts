import { describe, expect, it } from 'vitest'
import { priceOfRead, priceOfWrites } from '../../../src/http/price.ts'
import type { Principal } from '../../../src/jsonapi/declare/resource.ts'
import { rateLimitFrom } from '../../../src/rate-limit/policy.ts'
import { registry } from '../../../src/resources/index.ts'
import { endpointOf, specOf } from '../jsonapi/run/readers.ts'

const defaultLimit = rateLimitFrom({})
const scopes = new Set(['users.read', 'users.citizenships.read'])
const reader: Principal = { kind: 'user', issuer: 'i', id: 'u', scopes }

type Query = Readonly<Record<string, string>>

async function priceOf(name: string, query: Query, limit = defaultLimit) {
  const spec = await specOf(name, query, '/path', registry, reader)
  return priceOfRead(registry, endpointOf(name, registry), spec, limit)
}

describe('the price of a read', () => {
  it.each<[name: string, query: Query, tokens: number]>([
    ['users.list', {}, 1],
    ['countries.get', { include: 'currencies' }, 2],
    ['users.list', { include: 'relatives.citizenships' }, 13],
    ['users.list', { include: 'citizenships.currencies' }, 7],
    ['users.list', { include: 'relatives.relatives' }, 21],
    ['users.get', { include: 'placeOfBirth.currencies' }, 3],
    ['users.relatives.readMany', { include: 'relatives.relatives' }, 6],
    ['users.relatives.readMany', { sort: 'fullName' }, 3],
    ['users.citizenships.readMany', { 'filter[region]': 'EUROPE' }, 3],
    ['users.relatives.relatedMany', { include: 'relatives', 'page[limit]': '100' }, 25],
    ['users.relatives.relatedMany', { 'page[limit]': '40', 'filter[id]': '' }, 4],
    ['users.list', { sort: 'email', 'filter[id]': '1' }, 1],
    ['users.list', { 'page[limit]': '21' }, 2],
    ['users.list', { 'page[limit]': '80', include: 'relatives.relatives' }, 84],
    ['users.list', { 'page[offset]': '1000' }, 2],
    ['users.list', { 'page[offset]': '99999' }, 100],
    // No rows are skipped past the bound: the page is empty, or the answer is an error.
    ['users.list', { 'page[offset]': '100001' }, 1],
    ['users.list', { 'page[limit]': '100', 'page[offset]': '95999' }, 100],
    ['users.list', { 'page[limit]': '100', 'page[offset]': '96000' }, 5],
  ])('of %s with %j is %d', async (name, query, tokens) => {
    expect(await priceOf(name, query)).toMatchObject({ tokens })
  })

  it.each<[name: string, query: Query, capacity: number, parameter: string]>([
    ['users.list', { 'page[limit]': '81', include: 'relatives.relatives' }, 100, 'include'],
    ['users.list', { 'page[limit]': '100' }, 4, 'page[limit]'],
    ['users.relatives.readMany', { sort: 'email' }, 2, 'sort'],
    ['users.relatives.readMany', { 'filter[id]': '1' }, 2, 'filter[id]'],
  ])('of %s with %j is a problem above the burst', async (name, query, capacity, parameter) => {
    const price = await priceOf(name, query, { ...defaultLimit, capacity })
    expect(price).toMatchObject({ tokens: 1, problem: { source: { parameter } } })
  })

  it('follows the configured cost', async () => {
    const price = await priceOf(
      'users.list',
      { include: 'relatives' },
      { ...defaultLimit, readCost: 3 },
    )
    expect(price).toMatchObject({ tokens: 15 })
  })
})

describe('the price of writes', () => {
  const source = { pointer: '/data' }
  const payload = (...lengths: number[]) => ({
    relationships: Object.fromEntries(
      lengths.map((length, n) => [n, Array(length).fill({ id: '1' })]),
    ),
  })

  it.each([
    [[payload()], 5],
    [[payload(20)], 5],
    [[payload(11, 10)], 10],
    [[payload(100)], 25],
    [[payload(), payload(21), payload(1)], 20],
  ])('grows with the identifiers of each: %#', (payloads, tokens) => {
    expect(priceOfWrites(payloads, defaultLimit, source)).toEqual({ tokens })
  })

  it('is a problem above the burst', () => {
    const of = (capacity: number) =>
      priceOfWrites([payload(100)], { ...defaultLimit, capacity }, source)
    expect(of(20)).toMatchObject({ tokens: 5, problem: { source } })
    expect(of(4)).toMatchObject({ tokens: 4, problem: { source } })
  })
})
