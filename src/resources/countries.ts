import { primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import * as z from 'zod'
import { defineResource, toMany } from '../db/declare.ts'
import { anyone } from '../jsonapi/declare/access.ts'
import { fold } from '../jsonapi/declare/readable.ts'
import { currencyTable } from './currencies.ts'

/** Countries: reference data, written by migrations only. */
export const countryTable = sqliteTable('countries', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  region: text('region').notNull(),
})

/** Which currencies a country uses. */
export const countryCurrencies = sqliteTable(
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

/** A region in any case becomes the one of the data; any other text has no meaning. */
const region = z
  .string()
  .transform((text) => regions.find((name) => fold(name) === fold(text)) ?? text)
  .pipe(
    z
      .string()
      .refine(
        (name) => (regions as readonly string[]).includes(name),
        `must be one of: ${regions.join(', ')}`,
      ),
  )
  .meta({
    description: 'Region of the country; letters compare without case.',
    enum: [...regions],
    examples: ['Europe'],
  })

/** Countries: read-only reference data (contract, section 18). */
export const countries = defineResource({
  type: 'countries',
  singular: 'country',
  description: 'Countries of the world, and the currencies they use.',
  stored: { table: countryTable, id: countryTable.id, kept: true },
  id: {
    schema: z
      .string()
      .meta({ description: 'ISO 3166-1 alpha-2 code of the country.', examples: ['NO'] }),
    filter: true,
  },
  attributes: {
    name: {
      schema: z
        .string()
        .meta({ description: 'Official name of the country.', examples: ['Kingdom of Norway'] }),
      stored: { column: countryTable.name },
      access: anyone,
    },
    region: {
      schema: z.string().meta({ description: 'Region of the country.', examples: ['Europe'] }),
      stored: { column: countryTable.region },
      access: anyone,
      filter: region,
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
      pagination: 'cursor',
      access: anyone,
      operations: { readMany: { access: anyone } },
    }),
  },
  pagination: 'cursor',
  operations: { list: { access: anyone }, get: { access: anyone } },
  cacheControl: 'private, max-age=3600',
})
