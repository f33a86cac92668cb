import { insertUsers, type Writer } from '../../../support/people.ts'
import { type BackDoor, database } from '../../../support/service.ts'

/** All that the database holds of a user: its row, its links and those that point to it. */
export interface Rows {
  readonly user: Readonly<Record<string, unknown>> | undefined
  readonly citizenships: readonly unknown[]
  readonly relatives: readonly unknown[]
  readonly relativeOf: readonly unknown[]
}

type Store = Pick<BackDoor, 'batch'>

/** Gives a person so many users, straight into the database. */
export async function giveUsers({ sub }: Writer, count: number, store: Store): Promise<void> {
  const rows = Array.from({ length: count }, (_, nth) => {
    const id = `${sub}-${nth}`
    return { id, fullName: 'Own User', email: `${id}@example.com` }
  })
  await insertUsers(store, rows)
  const own = "UPDATE users SET owner = ?1, revision = 'given' WHERE id LIKE ?1 || '-%'"
  await store.batch([[own, sub]])
}

/** How many users the person owns, as the database says. */
export async function ownedBy({ sub }: Writer, store: Store): Promise<unknown> {
  const [[row] = []] = await store.batch([
    ['SELECT count(*) AS n FROM users WHERE owner = ?1', sub],
  ])
  return row?.n
}

/** Reads it in one transaction, so that it shows no write halfway. */
export async function rowsOf(id: string, store: Store = database): Promise<Rows> {
  const [[user] = [], citizenships = [], relatives = [], relativeOf = []] = await store.batch([
    ['SELECT * FROM users WHERE id = ?1', id],
    ['SELECT country_id FROM user_citizenships WHERE user_id = ?1 ORDER BY 1', id],
    ['SELECT relative_id, relationship_type FROM user_relatives WHERE user_id = ?1 ORDER BY 1', id],
    ['SELECT user_id FROM user_relatives WHERE relative_id = ?1 ORDER BY 1', id],
  ])
  return { user, citizenships, relatives, relativeOf }
}

/** What is left of a user that is gone. */
export const nothing: Rows = { user: undefined, citizenships: [], relatives: [], relativeOf: [] }

/** How many users there are, counted and as the rows of the counter say. */
export async function counted(store: Store = database): Promise<readonly [unknown, unknown]> {
  const [[row] = []] = await store.batch([
    [
      "SELECT (SELECT count(*) FROM users) AS rows, (SELECT sum(value) FROM counters WHERE name LIKE 'users%') AS counter",
    ],
  ])
  return [row?.rows, row?.counter]
}
