import { cursorAfter } from './cursor.ts'

/** The reference data of an isolate, with resource objects as JSON. */
export type Reference = Awaited<ReturnType<typeof load>>

const fresh = 5 * 60_000
let kept: { readonly data: Promise<Reference>; readonly at: number } | undefined

/** Countries and currencies, read once in five minutes. */
export function reference(db: D1Database): Promise<Reference> {
  const now = Date.now()
  if (!kept || now - kept.at > fresh) {
    kept = { data: load(db), at: now }
  }
  return kept.data
}

/** `GET /countries`. */
export function countriesPage({ inOrder }: Reference): string {
  const page = inOrder.slice(0, 20)
  const cursor = cursorAfter('["/jsonapi/countries",[],[]]', 20, page.at(-1)?.id ?? '')
  return `{"jsonapi":{"version":"1.1"},"links":{"self":"/jsonapi/countries","first":"/jsonapi/countries","prev":null,"next":"/jsonapi/countries?page%5Bcursor%5D=${cursor}","last":null},"meta":{"pagination":{"nextCursor":"${cursor}"},"pagination.nextCursor":"${cursor}"},"data":[${page.map(({ json }) => json).join(',')}]}`
}

/** `GET /countries/{id}?include=currencies`; undefined: there is none. */
export function countryWithCurrencies(
  { countries, currencies }: Reference,
  id: string,
): string | undefined {
  const country = countries.get(id)
  return (
    country &&
    `{"jsonapi":{"version":"1.1"},"links":{"self":"/jsonapi/countries/${id}?include=currencies"},"data":${country.json},"included":[${country.currencies.map((currency) => currencies.get(currency)).join(',')}]}`
  )
}

async function load(db: D1Database) {
  const [countryRows, currencyRows] = await Promise.all([
    db
      .prepare(
        `SELECT id, name, region, (SELECT group_concat(currency_id) FROM (SELECT currency_id
          FROM country_currencies WHERE country_id = id ORDER BY currency_id)) FROM countries ORDER BY id`,
      )
      .raw<[string, string, string, string | null]>(),
    db.prepare('SELECT id, name, symbol FROM currencies').raw<[string, string, string]>(),
  ])
  const inOrder = countryRows.map(([id, name, region, list]) => {
    const currencies = list?.split(',') ?? []
    const data = currencies.map((currency) => `{"type":"currencies","id":"${currency}"}`)
    const path = `/jsonapi/countries/${id}`
    const start = `{"type":"countries","id":"${id}","attributes":${JSON.stringify({ name, region })},"relationships":{"currencies":{"links":{"self":"${path}/relationships/currencies","related":"${path}/currencies"}`
    const end = `}},"links":{"self":"${path}"}}`
    const json = `${start},"data":[${data.join(',')}]${end}`
    // An included resource is without linkage.
    return { id, json, included: start + end, currencies }
  })
  const currencies = currencyRows.map(([id, name, symbol]): [string, string] => [
    id,
    `{"type":"currencies","id":"${id}","attributes":${JSON.stringify({ name, symbol })}}`,
  ])
  return {
    inOrder,
    countries: new Map(inOrder.map((country) => [country.id, country])),
    currencies: new Map(currencies),
  }
}
