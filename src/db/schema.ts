import { integer, table, text } from '#columns'

/** Numbers of rows of tables. Writes count what they insert and delete, so a total reads one row instead of a whole table. */
export const counters = table('counters', {
  name: text('name').primaryKey(),
  value: integer('value').notNull(),
})
