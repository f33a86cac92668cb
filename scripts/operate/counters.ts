import { type SQL, sql } from 'drizzle-orm'
import { registry } from '../../src/resources/index.ts'

/** The counters of the declared types, each with the table whose rows it counts. */
const counters = registry.types.flatMap((type) => {
  const { counter, table } = registry.get(type).stored
  return counter === undefined ? [] : [{ counter, table }]
})

/** The statements that make each counter the number of rows of its table. On PostgreSQL further rows of it are named after the first. */
export const recounts: readonly SQL[] = counters.map(
  ({ counter, table }) =>
    sql`insert into counters (name, value) select ${counter}, count(*) - (select coalesce(sum(value), 0) from counters where name like ${`${counter}/%`}) from ${table} where true
      on conflict (name) do update set value = excluded.value`,
)
