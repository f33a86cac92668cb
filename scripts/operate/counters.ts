import { type SQL, sql } from 'drizzle-orm'
import { registry } from '../../src/resources/index.ts'

/** The counters of the declared types, each with the table whose rows it counts. */
const counters = registry.types.flatMap((type) => {
  const { counter, table } = registry.get(type).stored
  return counter === undefined ? [] : [{ counter, table }]
})

/** The statements that set each counter to the number of rows of its table; one that is missing is made. */
export const recounts: readonly SQL[] = counters.map(
  ({ counter, table }) =>
    sql`insert into counters (name, value) select ${counter}, count(*) from ${table} where true
      on conflict (name) do update set value = excluded.value`,
)
