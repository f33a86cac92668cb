import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Rows of a table, kept by triggers, so that a total costs one row instead of a scan. */
export const counters = sqliteTable('counters', {
  name: text('name').primaryKey(),
  value: integer('value').notNull(),
})
