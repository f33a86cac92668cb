import * as z from 'zod/mini'
import { primaryKey, table, text } from '#columns'
import { foldCase } from '../db/stored.ts'
import { anyone, defineResource, toMany } from '../jsonapi/declare/resource.ts'
import { currencyTable } from './currencies.ts'
import { assignedText } from './texts.ts'

/** Countries: reference data, written by migrations only. */
export const countryTable = table('countries', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  region: text('region').notNull(),
})

/** Which currencies a country uses. */
export const countryCurrencies = table(
  'country_currencies',
  {
    countryId: text('country_id')
      .notNull()
      .references(() => countryTable.id, { onDelete: 'cascade' }),
    currencyId: text('currency_id')
      .notNull()
      .references(() => currencyTable.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.countryId, table.currencyId] })],
)

/** The regions of the reference data, as it spells them. */
const regions = ['Africa', 'Americas', 'Antarctic', 'Asia', 'Europe', 'Oceania'] as const

/** The schema of a region as the reference data spell it. */
const region = () =>
  z
    .enum(regions)
    .check(z.meta({ title: 'Region', description: 'Region of the world.', examples: ['Europe'] }))

/** The schema of a region in any case, which gives the spelling of the reference data. */
const anyCase = () =>
  z.pipe(
    z.string().check(
      z.meta({
        description: `${regions.join(', ')}, in any case.`,
        pattern: `^(${regions.map(inAnyCase).join('|')})$`,
        examples: ['Europe'],
      }),
      z.overwrite((text) => regions.find((name) => foldCase(name) === foldCase(text)) ?? text),
    ),
    region(),
  )

/** The pattern of a name of ASCII letters in any case. JSON Schema has no flags for patterns. */
function inAnyCase(name: string): string {
  return name.replace(/./g, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)
}

/** Countries: read-only reference data. */
export const countries = defineResource({
  type: 'countries',
  singular: 'country',
  description: 'Countries of the world, and the currencies they use.',
  stored: { table: countryTable, id: countryTable.id },
  snapshot: true,
  id: {
    schema: () =>
      assignedText({
        description: 'ISO 3166-1 alpha-2 code of the country.',
        examples: ['NO', 'SE'],
      }),
    filter: true,
  },
  attributes: {
    name: {
      schema: () =>
        assignedText({
          description: 'Official name of the country.',
          examples: ['Kingdom of Norway'],
        }),
      stored: { column: countryTable.name },
      access: anyone,
    },
    region: {
      schema: region,
      stored: { column: countryTable.region },
      access: anyone,
      filter: anyCase,
    },
  },
  relationships: {
    currencies: toMany('currencies', {
      description: 'The currencies that are used in the country.',
      stored: {
        table: countryCurrencies,
        owner: countryCurrencies.countryId,
        target: countryCurrencies.currencyId,
      },
      pagination: { by: 'cursor', size: 20 },
      access: anyone,
      operations: { readMany: { access: anyone } },
    }),
  },
  pagination: { by: 'cursor', size: 20 },
  operations: { list: { access: anyone }, get: { access: anyone } },
  cacheControl: 'private, max-age=3600',
})
