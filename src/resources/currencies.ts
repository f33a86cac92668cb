import { table, text } from '#columns'
import { anyone, defineResource } from '../jsonapi/declare/resource.ts'
import { assignedText } from './texts.ts'

/** Currencies: reference data, written by migrations only. */
export const currencyTable = table('currencies', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  symbol: text('symbol').notNull(),
})

/** Currencies: read-only reference data without an item endpoint. */
export const currencies = defineResource({
  type: 'currencies',
  singular: 'currency',
  description: 'Currencies of the world.',
  stored: { table: currencyTable, id: currencyTable.id },
  snapshot: true,
  id: {
    schema: () =>
      assignedText({ description: 'ISO 4217 code of the currency.', examples: ['NOK', 'SEK'] }),
    filter: true,
  },
  attributes: {
    name: {
      schema: () =>
        assignedText({ description: 'Full name of the currency.', examples: ['Norwegian krone'] }),
      stored: { column: currencyTable.name },
      access: anyone,
    },
    symbol: {
      schema: () => assignedText({ description: 'Symbol of the currency.', examples: ['kr'] }),
      stored: { column: currencyTable.symbol },
      access: anyone,
    },
  },
  relationships: {},
  pagination: { by: 'cursor', size: 20 },
  operations: { list: { access: anyone } },
  cacheControl: 'private, max-age=3600',
})
