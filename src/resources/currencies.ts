import * as z from 'zod'
import { defineResource } from '../db/declare.ts'
import { currencies as table } from '../db/schema.ts'
import { anyone } from '../jsonapi/access.ts'

/** Currencies: read-only reference data without an item endpoint (contract, section 18). */
export const currencies = defineResource({
  type: 'currencies',
  singular: 'currency',
  description: 'Currencies of the world.',
  stored: { table, id: table.id, kept: true },
  id: {
    schema: z.string().meta({ description: 'ISO 4217 code of the currency.', examples: ['NOK'] }),
    filter: true,
  },
  attributes: {
    name: {
      schema: z
        .string()
        .meta({ description: 'Full name of the currency.', examples: ['Norwegian krone'] }),
      stored: { column: table.name },
      access: anyone,
    },
    symbol: {
      schema: z.string().meta({ description: 'Symbol of the currency.', examples: ['kr'] }),
      stored: { column: table.symbol },
      access: anyone,
    },
  },
  relationships: {},
  pagination: 'cursor',
  operations: { list: { access: anyone } },
  cacheControl: 'private, max-age=3600',
})
