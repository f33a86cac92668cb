import { getTableName } from 'drizzle-orm'
import { registry } from '../../src/resources/index.ts'
import { literal } from '../lib/sql.ts'

/** The counters of the declared types, each with the table whose rows it counts. */
const counters = registry.types.flatMap((type) => {
  const { counter, table } = registry.get(type).stored
  return counter === undefined ? [] : [{ counter, table: getTableName(table) }]
})

/** The statements that set each counter to the number of rows of its table; one that is missing is made. */
export const recounts: readonly string[] = counters.map(
  ({ counter, table }) =>
    `INSERT INTO counters (name, value) SELECT ${literal(counter)}, count(*) FROM ${table} WHERE true
      ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
)
