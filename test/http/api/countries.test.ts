import { describe, expect, it } from 'vitest'
import type { Resource } from '../../support/documents.ts'
import { client, clientToken, get } from '../../support/service.ts'
import { walk } from '../../support/walk.ts'

/** Every country, in the order of the list. */
async function allCountries(): Promise<readonly Resource[]> {
  const answers = await walk('/jsonapi/countries', { token: await clientToken() })
  return answers.flatMap(({ document }) => document.data)
}

describe('GET /countries (operation 1)', () => {
  it('walks all countries of ISO 3166-1, in the order of their codes', async () => {
    const ids = (await allCountries()).map(({ id }) => id)
    expect(ids.length).toBeGreaterThanOrEqual(249)
    expect(ids.every((id) => /^[A-Z]{2}$/.test(id))).toBe(true)
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(['AQ', 'DE', 'JP', 'NO', 'US', 'ZA']))
  })

  it('gives each country a name and a region', async () => {
    for (const { attributes } of await allCountries()) {
      expect(attributes?.name).toEqual(expect.stringMatching(/./))
      expect(attributes?.region).toMatch(/^(Africa|Americas|Antarctic|Asia|Europe|Oceania)$/)
    }
  })
})

describe('GET /countries/{id} (operation 2)', () => {
  it('shows a country under its official name', async () => {
    const { document } = await get('/countries/NO', await client())
    expect(document).toEqual({
      jsonapi: { version: '1.1' },
      links: { self: '/jsonapi/countries/NO' },
      data: {
        type: 'countries',
        id: 'NO',
        attributes: { name: 'Kingdom of Norway', region: 'Europe' },
        relationships: {
          currencies: {
            links: {
              self: '/jsonapi/countries/NO/relationships/currencies',
              related: '/jsonapi/countries/NO/currencies',
            },
            data: [{ type: 'currencies', id: 'NOK' }],
          },
        },
        links: { self: '/jsonapi/countries/NO' },
      },
    })
  })

  it.each([
    { id: 'x'.repeat(64), status: 404, why: '64 characters are an id' },
    { id: 'x'.repeat(65), status: 400, why: '65 are not' },
    { id: 'no', status: 404, why: 'ids compare exactly' },
    { id: 'NO%20', status: 404, why: 'ids compare exactly' },
    { id: '%4E%4F', status: 200, why: 'percent-encoding is undone' },
  ])('answers $status to the id $id, since $why (contract, section 6)', async ({ id, status }) => {
    const answer = await get(`/countries/${id}`, await client())
    expect(answer.status).toBe(status)
    if (status === 400) {
      expect(answer.document.errors).toMatchObject([
        { code: 'VALUE_INVALID_FORMAT', source: { path: 'id' } },
      ])
    }
  })
})

describe('GET /countries/{id}/relationships/currencies (operation 3)', () => {
  it('lists the currencies, with the links of a page', async () => {
    const path = '/jsonapi/countries/PA/relationships/currencies'
    const { document } = await get('/countries/PA/relationships/currencies', await client())
    expect(document).toEqual({
      jsonapi: { version: '1.1' },
      links: {
        self: path,
        first: path,
        prev: null,
        next: null,
        last: null,
        related: '/jsonapi/countries/PA/currencies',
      },
      data: [
        { type: 'currencies', id: 'PAB' },
        { type: 'currencies', id: 'USD' },
      ],
    })
  })
})
