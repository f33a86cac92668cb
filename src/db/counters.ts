import { counterRows, integer, table, text } from '#columns'

/**
 * Numbers of rows of tables. Writes count what they insert and delete, so a total reads few rows instead of a whole table. On PostgreSQL
 * there is also a row for each person who creates, which is locked while the person's quota is counted.
 */
export const counters = table('counters', {
  name: text('name').primaryKey(),
  value: integer('value').notNull(),
})

/** The names of the rows whose sum is a counter. Those of a database that has several are made when a write first counts in them. */
export function rowsOfCounter(name: string): readonly [string, ...string[]] {
  const further = Array.from({ length: counterRows - 1 }, (_, nth) => `${name}/${nth + 1}`)
  return [name, ...further]
}
