import { describe, expect, it } from 'vitest'
import type { Resource } from '../../support/documents.ts'
import { withNamedFields } from '../../support/fields.ts'
import { clientToken, get } from '../../support/service.ts'
import { idsOf, walk } from '../../support/walk.ts'

describe('Countries and currencies (operations 1 to 4)', () => {
  it('are walked in pages of 20 in the order of their codes: all of ISO 3166-1, and those of ISO 4217 that a country uses', async () => {
    const token = await clientToken()
    const countries = await walk('/jsonapi/countries?include=currencies', { token })
    const currencies = await walk('/jsonapi/currencies', { token: await clientToken() })
    for (const [pages, code, least] of [
      [countries, /^[A-Z]{2}$/, 249],
      [currencies, /^[A-Z]{3}$/, 140],
    ] as const) {
      const ids = idsOf(...pages)
      expect(ids.length).toBeGreaterThanOrEqual(least)
      expect(ids.every((id) => code.test(id))).toBe(true)
      expect(ids).toEqual([...new Set(ids)].toSorted())
      expect(pages.slice(0, -1).every((page) => idsOf(page).length === 20)).toBe(true)
      const { links, meta } = pages.at(-1)?.document ?? {}
      expect([links, meta]).toMatchObject([{ prev: null, next: null, last: null }, undefined])
    }
    const used = countries.flatMap(({ document }) => document.included?.map(({ id }) => id) ?? [])
    expect(new Set(idsOf(...currencies))).toEqual(new Set(used))
  })

  it('are shown with all that they have, and caches may keep them for an hour: a country under its official name, a currency without a link', async () => {
    const self = '/jsonapi/countries/NO'
    const norway = await get('/countries/NO', await clientToken())
    expect(norway.headers['cache-control']).toBe('private, max-age=3600')
    expect(withNamedFields(norway.document)).toEqual({
      jsonapi: { version: '1.1' },
      links: { self },
      data: {
        type: 'countries',
        id: 'NO',
        attributes: { name: 'Kingdom of Norway', region: 'Europe' },
        relationships: {
          currencies: {
            links: { self: `${self}/relationships/currencies`, related: `${self}/currencies` },
            data: [{ type: 'currencies', id: 'NOK' }],
          },
        },
        links: { self },
      },
    })
    const { document } = await get('/currencies?filter[id]=NOK', await clientToken())
    expect(withNamedFields(document).data).toEqual([
      { type: 'currencies', id: 'NOK', attributes: { name: 'Norwegian krone', symbol: 'kr' } },
    ])
  })

  it('are found by region in any case, and an unknown region is told with those that there are', async () => {
    const token = await clientToken()
    const all = (await walk('/jsonapi/countries', { token })).flatMap(
      ({ document }) => document.data,
    )
    const inOceania = all.filter((one: Resource) => one.attributes?.region === 'Oceania')
    const found = await walk('/jsonapi/countries?filter[region]=OCEANIA', { token })
    expect(idsOf(...found)).toEqual(inOceania.map(({ id }: Resource) => id))
    const answer = await get('/countries?filter[region]=Europe,Atlantis', token)
    expect(answer.faults).toEqual(['400 VALUE_INVALID_FORMAT parameter filter[region]'])
    const known = /Africa.*Americas.*Antarctic.*Asia.*Europe.*Oceania/
    expect(answer.document.errors?.[0]?.detail).toMatch(known)
  })

  it.each([
    { id: 'no', status: 404, why: 'ids compare exactly' },
    { id: 'NO%20', status: 404, why: 'ids compare exactly' },
    { id: '%4E%4F', status: 200, why: 'percent-encoding is undone' },
  ])('answer $status to the id $id, since $why', async ({ id, status }) => {
    expect((await get(`/countries/${id}`, await clientToken())).status).toBe(status)
  })
})
