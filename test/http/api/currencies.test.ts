import { describe, expect, it } from 'vitest'
import type { Resource } from '../../support/documents.ts'
import { client, clientToken, get } from '../../support/service.ts'
import { idsOf, walk } from '../../support/walk.ts'

describe('GET /currencies (operation 4)', () => {
  it('walks all currencies of ISO 4217 that a country uses, in the order of their codes', async () => {
    const token = await clientToken()
    const currencies = await walk('/jsonapi/currencies', { token })
    const ids = idsOf(...currencies)
    expect(ids.length).toBeGreaterThan(140)
    expect(ids.every((id) => /^[A-Z]{3}$/.test(id))).toBe(true)
    expect(ids).toEqual([...new Set(ids)].toSorted())
    const countries = await walk('/jsonapi/countries?include=currencies', {
      token: await clientToken(),
    })
    const used = countries.flatMap(({ document }) => document.included?.map(({ id }) => id) ?? [])
    expect(new Set(ids)).toEqual(new Set(used))
  })

  it('shows name and symbol, no relationships and no link', async () => {
    const { data } = (await get('/currencies?filter[id]=NOK', await client())).document
    expect(data).toEqual([
      { type: 'currencies', id: 'NOK', attributes: { name: 'Norwegian krone', symbol: 'kr' } },
    ])
  })

  it('gives each currency a name and a symbol', async () => {
    const answers = await walk('/jsonapi/currencies', { token: await clientToken() })
    const all: Resource[] = answers.flatMap(({ document }) => document.data)
    for (const { attributes } of all) {
      expect(attributes).toEqual({
        name: expect.stringMatching(/./),
        symbol: expect.stringMatching(/./),
      })
    }
  })
})
