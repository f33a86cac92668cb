import { describe, expect, it } from 'vitest'
import type { Resource } from '../../support/documents.ts'
import { client, clientToken, get } from '../../support/service.ts'
import { idsOf, walk } from '../../support/walk.ts'

describe('filter[region]', () => {
  const regions = ['Africa', 'Americas', 'Antarctic', 'Asia', 'Europe', 'Oceania']

  it('finds the countries of a region, in any case', async () => {
    const region = 'Oceania'
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

  it('refuses an unknown region and names those that there are', async () => {
    const answer = await get('/countries?filter[region]=Europe,Atlantis', await client())
    expect(answer.faults).toEqual(['400 VALUE_INVALID_FORMAT parameter filter[region]'])
    for (const known of regions) {
      expect(answer.document.errors?.[0]?.detail).toContain(known)
    }
  })
})
