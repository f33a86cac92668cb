import { describe, expect, it } from 'vitest'
import type { Resource } from '../../support/documents.ts'
import { client, clientToken, get } from '../../support/service.ts'
import { idsOf, walk } from '../../support/walk.ts'

describe('filter[id] (contract, section 6)', () => {
  it.each([
    { path: '/countries', filter: 'NO', finds: ['NO'] },
    { path: '/countries', filter: 'XX,NO', finds: ['NO'] },
    { path: '/countries', filter: 'no', finds: [] },
    { path: '/currencies', filter: 'NOK,EUR', finds: ['EUR', 'NOK'] },
    { path: '/users', filter: '2,1', finds: ['1', '2'] },
    { path: '/users', filter: '1,1,nobody', finds: ['1'] },
    { path: '/users', filter: '', finds: [] },
    { path: '/users', filter: "1' OR '1'='1", finds: [] },
  ])('finds $finds with $path?filter[id]=$filter', async ({ path, filter, finds }) => {
    const query = new URLSearchParams({ 'filter[id]': filter })
    expect(idsOf(await get(`${path}?${query}`, await client()))).toEqual(finds)
  })

  it('counts what it finds', async () => {
    const answer = await get('/users?filter[id]=1,2,2,nobody', await client())
    expect(answer.document.meta).toEqual({ 'pagination.totalItems': 2 })
  })
})

describe('filter[region] (contract, section 6)', () => {
  const regions = ['Africa', 'Americas', 'Antarctic', 'Asia', 'Europe', 'Oceania']

  it.each(regions)('finds the countries of %s, in any case', async (region) => {
    const token = await clientToken()
    const path = `/jsonapi/countries?filter[region]=`
    const found = (await walk(path + region, { token })).flatMap(({ document }) => document.data)
    expect(found.length).toBeGreaterThan(0)
    expect(new Set(found.map((country: Resource) => country.attributes?.region))).toEqual(
      new Set([region]),
    )
    const shouted = await walk(path + region.toUpperCase(), { token })
    expect(idsOf(...shouted)).toEqual(found.map(({ id }: Resource) => id))
  })

  it.each([
    { query: 'filter[region]=antarctic,oceania&filter[id]=NO,AQ,FJ', finds: ['AQ', 'FJ'] },
    { query: 'filter[region]=Europe&filter[id]=NO,AQ,FJ', finds: ['NO'] },
    { query: 'filter[region]=europe,Europe&filter[id]=NO', finds: ['NO'] },
  ])('combines with filter[id] by AND: $query', async ({ query, finds }) => {
    expect(idsOf(await get(`/countries?${query}`, await client()))).toEqual(finds)
  })

  it.each(['Atlantis', 'Europe,Atlantis', 'Europe , Asia'])(
    'refuses the unknown region in "%s" and names those that there are',
    async (region) => {
      const query = new URLSearchParams({ 'filter[region]': region })
      const answer = await get(`/countries?${query}`, await client())
      expect(answer.status).toBe(400)
      for (const error of answer.document.errors ?? []) {
        expect(error).toMatchObject({
          code: 'VALUE_INVALID_FORMAT',
          source: { parameter: 'filter[region]' },
        })
        for (const known of regions) {
          expect(error.detail).toContain(known)
        }
      }
    },
  )
})
