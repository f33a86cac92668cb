import { writeFileSync } from 'node:fs'
import countries, { type Country, type Currency } from 'world-countries'

/**
 * Writes `0002_reference_data.sql` of `migrations` and of `migrations/postgres` from the package `world-countries`:
 *
 *   npm install --no-save world-countries@5.1.0 && npx node scripts/data/generate.ts
 *
 * The same version of the package gives the same bytes.
 *
 * A migration that has been released never changes. So an update of the data ships in a new one: install
 * a newer version, run this, and `git diff migrations` shows the rows that differ. Write those into `000n_<what_changes>.sql` of both folders (for D1 an empty one that counts as the next:
 * `npm run migration <what_changes> -- --custom`), countries and currencies as
 * `INSERT … ON CONFLICT (id) DO UPDATE SET …`, never REPLACE, which would take the links with it; then
 * put 0002 back.
 */
const targets = ['migrations', 'migrations/postgres'].map(
  (folder) => new URL(`../../${folder}/0002_reference_data.sql`, import.meta.url),
)

/** Local issues at par with another currency of the same country, which ISO 4217 does not list. */
const unlisted = new Set(['CKD', 'FOK', 'GGP', 'IMP', 'JEP', 'KID', 'TVD', 'ZWB'])

/** The ISO 4217 currencies of a country, by code: none for Antarctica, several for Panama. */
const currenciesOf = (country: Country): [string, Currency][] =>
  Object.entries(country.currencies).filter(([id]) => !unlisted.has(id))

/**
 * Every currency once, by code. Countries that share one may name it differently (`Danish krone` in
 * Denmark, `krone` in Greenland): the name that the issuer uses is taken; the code of a currency begins with that of its issuer.
 */
function allCurrencies(): Map<string, Currency> {
  const known = new Map<string, Currency>()
  for (const country of countries) {
    for (const [id, currency] of currenciesOf(country)) {
      if (!known.has(id) || id.startsWith(country.cca2)) {
        known.set(id, currency)
      }
    }
  }
  return known
}

/**
 * A text in one line with single spaces. Throws an Error for an empty text, since a person has to decide what stands there.
 */
function text(value: string, of: string): string {
  const tidy = value.trim().replace(/\s+/g, ' ')
  if (tidy === '') {
    throw new Error(`world-countries has an empty text for ${of}`)
  }
  return tidy
}

/** In the order of the id, by code units: the order of a locale differs between machines. */
const sorted = (rows: string[][]): string[][] =>
  rows.toSorted((a, b) => (a.join() < b.join() ? -1 : 1))

const countryRows = countries.map(({ cca2, name, region }) => [
  cca2,
  text(name.official, cca2),
  text(region, cca2),
])
const currencyRows = [...allCurrencies()].map(([id, { name, symbol }]) => [
  id,
  text(name, id),
  text(symbol, id),
])
const links = countries.flatMap((country) =>
  currenciesOf(country).map(([currency]) => [country.cca2, currency]),
)

/** Rows in one statement, which stays well below the 100 KB that D1 takes. */
const rowsPerStatement = 200

/** Rows as INSERT statements with literals. */
function insertRows(
  table: string,
  columns: readonly string[],
  rows: readonly string[][],
): string[] {
  const lines = rows.map(
    (row) => `(${row.map((value) => `'${value.replaceAll("'", "''")}'`).join(', ')})`,
  )
  return Array.from({ length: Math.ceil(rows.length / rowsPerStatement) }, (_, nth) => {
    const values = lines.slice(nth * rowsPerStatement, (nth + 1) * rowsPerStatement)
    return `INSERT INTO ${table} (${columns.join(', ')}) VALUES\n${values.join(',\n')};\n`
  })
}

const statements = [
  '-- Written by data/generate.ts from world-countries (ODbL 1.0). Not to be edited.\n',
  ...insertRows('countries', ['id', 'name', 'region'], sorted(countryRows)),
  ...insertRows('currencies', ['id', 'name', 'symbol'], sorted(currencyRows)),
  ...insertRows('country_currencies', ['country_id', 'currency_id'], sorted(links)),
].join('\n')
for (const target of targets) {
  writeFileSync(target, statements)
}
