import * as z from 'zod/mini'
import { countryCurrencies, countries as table } from '../db/schema.ts'
import type { TableSource } from '../db/source.ts'
import { anyone } from '../jsonapi/access.ts'
import { defineResource } from '../jsonapi/resource.ts'

/** The regions of the reference data, as it spells them. */
const regions = ['Africa', 'Americas', 'Antarctic', 'Asia', 'Europe', 'Oceania'] as const

/** A region in any case becomes the one of the data; any other text has no meaning. */
const region = z.pipe(
  z.pipe(
    z.string(),
    z.transform(
      (text: string) => regions.find((name) => name.toLowerCase() === text.toLowerCase()) ?? text,
    ),
  ),
  z
    .string()
    .check(
      z.refine(
        (name) => (regions as readonly string[]).includes(name),
        `is not one of: ${regions.join(', ')}`,
      ),
    ),
)

/** Countries: read-only reference data (contract, section 18). */
export const countries = defineResource({
  type: 'countries',
  singular: 'country',
  description: 'Countries of the world, and the currencies they use.',
  attributes: {
    name: {
      schema: z
        .string()
        .check(
          z.meta({ description: 'Official name of the country.', examples: ['Kingdom of Norway'] }),
        ),
      access: anyone,
    },
    region: {
      schema: z
        .string()
        .check(z.meta({ description: 'Region of the country.', examples: ['Europe'] })),
      access: anyone,
    },
  },
  relationships: {
    currencies: {
      description: 'The currencies that are used in the country.',
      target: 'currencies',
      cardinality: 'many',
      pagination: 'cursor',
      access: anyone,
      operations: { readMany: { access: anyone } },
    },
  },
  filters: {
    id: z
      .string()
      .check(z.meta({ description: 'ISO 3166-1 alpha-2 code of the country.', examples: ['NO'] })),
    region: region.register(z.globalRegistry, {
      description: 'Region of the country; letters compare without case.',
      enum: [...regions],
      examples: ['Europe'],
    }),
  },
  sorts: [],
  pagination: 'cursor',
  operations: { list: { access: anyone }, get: { access: anyone } },
  cacheControl: 'private, max-age=3600',
  source: {
    table,
    id: table.id,
    attributes: { name: { column: table.name }, region: { column: table.region } },
    relationships: {
      currencies: {
        table: countryCurrencies,
        owner: countryCurrencies.countryId,
        target: countryCurrencies.currencyId,
      },
    },
    kept: true,
  } satisfies TableSource,
})
