import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { unstable_splitSqlQuery } from 'wrangler'
import { migrationsIn } from '../../scripts/deploy/schema.ts'
import type { Cards } from '../../scripts/lib/cards.ts'
import { paths } from '../../scripts/lib/config.ts'
import { recounts } from '../../scripts/operate/counters.ts'
import { d1Through } from '../../scripts/operate/database.ts'
import { peopleRows } from '../../scripts/start/demo.ts'
import { userCitizenships, userRelatives, userTable } from '../../src/resources/users.ts'
import { person } from './people.ts'

/** The part of a D1 database that loading takes. */
export type Database = Pick<D1Database, 'prepare' | 'batch'>

/** People in one round trip: their rows stay well below the 2 MB that D1 takes in a parameter. */
const chunk = 2_000

const tables = { users: userTable, citizenships: userCitizenships, relatives: userRelatives }

/**
 * Makes the tables, with countries and currencies, and fills in people.
 *
 * @param total how many
 * @param seal makes what the column `card` holds
 */
export async function loadDatabase(
  db: Database,
  total: number,
  seal: Cards['seal'],
): Promise<void> {
  const { query } = d1Through('D1', async () => db)
  for (const migration of migrationsIn(paths.migrations)) {
    await query(unstable_splitSqlQuery(migration.sql).map((statement) => sql.raw(statement)))
  }
  const [countries = []] = await query([sql`select id from countries order by id`])
  const ids = countries.map(({ id }) => String(id))
  // Relatives come last: they refer to any people.
  for (const names of [['users', 'citizenships'], ['relatives']] as const) {
    for (let start = 0; start < total; start += chunk) {
      const people = Array.from({ length: Math.min(chunk, total - start) }, (_, nth) =>
        person(start + nth, total, ids),
      )
      const rows = await peopleRows(people, seal)
      await query(names.map((name) => inserted(tables[name], rows[name])))
    }
  }
  await query(recounts)
}

/** The statement that inserts rows. It takes them as one JSON array: D1 binds at most 100 values to a statement. */
function inserted(table: SQLiteTable, rows: readonly object[]): SQL {
  const names = Object.keys(rows[0] ?? {})
  const columns = names.map((name) => sql.identifier(String(getTableColumns(table)[name]?.name)))
  const values = names.map((name) => sql.raw(`value ->> '${name}'`))
  return sql`insert into ${table} (${sql.join(columns, sql`, `)})
    select ${sql.join(values, sql`, `)} from json_each(${JSON.stringify(rows)})`
}
