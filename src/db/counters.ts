import { counterRows, integer, table, text } from '#columns'

/**
 * The numbers of rows of tables, so that a total need not count a whole table. Creates and deletes change them. On PostgreSQL each person
 * who creates has a row, too, which is locked while the quota is checked.
 */
export const counters = table('counters', {
  name: text('name').primaryKey(),
  value: integer('value').notNull(),
})

/** The names of the rows whose sum is a counter. A write makes a row that is missing. */
export function rowsOfCounter(name: string): readonly [string, ...string[]] {
  const further = Array.from({ length: counterRows - 1 }, (_, nth) => `${name}/${nth + 1}`)
  return [name, ...further]
}
