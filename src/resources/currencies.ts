import * as z from 'zod/mini'
import { currencies as table } from '../db/schema.ts'
import type { TableSource } from '../db/source.ts'
import { anyone } from '../jsonapi/access.ts'
import { defineResource } from '../jsonapi/resource.ts'

/** Currencies: read-only reference data without an item endpoint (contract, section 18). */
export const currencies = defineResource({
  type: 'currencies',
  singular: 'currency',
  description: 'Currencies of the world.',
  attributes: {
    name: {
      schema: z
        .string()
        .check(
          z.meta({ description: 'Full name of the currency.', examples: ['Norwegian krone'] }),
        ),
      access: anyone,
    },
    symbol: {
      schema: z
        .string()
        .check(z.meta({ description: 'Symbol of the currency.', examples: ['kr'] })),
      access: anyone,
    },
  },
  relationships: {},
  filters: {
    id: z
      .string()
      .check(z.meta({ description: 'ISO 4217 code of the currency.', examples: ['NOK'] })),
  },
  sorts: [],
  pagination: 'cursor',
  operations: { list: { access: anyone } },
  cacheControl: 'private, max-age=3600',
  source: {
    table,
    id: table.id,
    attributes: { name: { column: table.name }, symbol: { column: table.symbol } },
    relationships: {},
    kept: true,
  } satisfies TableSource,
})
