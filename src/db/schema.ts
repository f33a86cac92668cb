import { desc } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Countries: reference data, written by migrations only. */
export const countries = sqliteTable('countries', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  region: text('region').notNull(),
})

/** Currencies: reference data, written by migrations only. */
export const currencies = sqliteTable('currencies', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  symbol: text('symbol').notNull(),
})

/** Which currencies a country uses. */
export const countryCurrencies = sqliteTable(
  'country_currencies',
  {
    countryId: text('country_id')
      .notNull()
      .references(() => countries.id, { onDelete: 'cascade' }),
    currencyId: text('currency_id')
      .notNull()
      .references(() => currencies.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.countryId, table.currencyId] })],
)

/**
 * People. `*_key` columns are what is compared and sorted: the value in lower case, since SQLite's own
 * case folding knows ASCII only. `card` is ciphertext, `addresses` a JSON array.
 */
export const users = sqliteTable(
  'users',
  {
    id: text('id').primaryKey(),
    owner: text('owner').notNull(),
    fullName: text('full_name').notNull(),
    fullNameKey: text('full_name_key').notNull(),
    email: text('email').notNull(),
    emailKey: text('email_key').notNull(),
    card: text('card'),
    addresses: text('addresses'),
    placeOfBirth: text('place_of_birth').references(() => countries.id),
  },
  // One index for each order of names that a page can be read in: SQLite walks an index backwards, so that
  // name up and name down with the same direction of the next key share one.
  (table) => [
    uniqueIndex('users_email').on(table.emailKey),
    // Counted when a person creates a user: how many do they own?
    index('users_owner').on(table.owner),
    index('users_name_id').on(table.fullNameKey, table.id),
    index('users_name_desc_id').on(desc(table.fullNameKey), table.id),
    index('users_name_email').on(table.fullNameKey, table.emailKey),
    index('users_name_desc_email').on(desc(table.fullNameKey), table.emailKey),
  ],
)

/** Citizenships of people. */
export const userCitizenships = sqliteTable(
  'user_citizenships',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    countryId: text('country_id')
      .notNull()
      .references(() => countries.id),
  },
  (table) => [primaryKey({ columns: [table.userId, table.countryId] })],
)

/** Relatives of people: `relative_id` is the `relationship_type` of `user_id`. */
export const userRelatives = sqliteTable(
  'user_relatives',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    relativeId: text('relative_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    relationshipType: text('relationship_type').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.relativeId] }),
    // Read when a person is deleted: who has them as a relative?
    index('user_relatives_relative').on(table.relativeId),
  ],
)

/** Rows of a table, kept by triggers, so that a total costs one row instead of a scan. */
export const counters = sqliteTable('counters', {
  name: text('name').primaryKey(),
  value: integer('value').notNull(),
})
