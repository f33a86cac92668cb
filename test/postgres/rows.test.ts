import { beforeAll, describe, expect, it } from 'vitest'
import { type BackDoor, get, uniquePerson, variant } from '../support/service.ts'
import { otherConnections } from './stores.ts'

/** What the server's own statistics say of the tables of users: entries of indexes, and rows without an index. */
const touched = `SELECT (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes WHERE relname LIKE 'user%')
  + (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables WHERE relname LIKE 'user%') AS n`

describe('the rows that a page reads', () => {
  const people = 20_000
  const members = 300
  let own: BackDoor

  beforeAll(async () => {
    own = await variant({ RATE_LIMIT_BURST_CAPACITY: '1000', RATE_LIMIT_REPLENISH_RATE: '1000' })
    await own.batch([
      [
        `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key)
          SELECT 'row-' || lpad(n::text, 5, '0'), 'nobody', 'Name', 'name ' || n % 7, email, email
          FROM generate_series(0, ${people - 1}) AS n, LATERAL (SELECT n * 7919 % ${people} || '@rows.example' AS email) AS e`,
      ],
      [
        `INSERT INTO user_relatives (user_id, relative_id, relationship_type)
          SELECT one.id, other.id, 'SON' FROM users AS one, generate_series(1, 3) AS nth, LATERAL
            (SELECT 'row-' || lpad(((substr(one.id, 5)::int * 7 + nth * 31) % ${people})::text, 5, '0') AS id) AS other
          WHERE one.id LIKE 'row-%' ORDER BY nth, md5(one.id)`,
      ],
      // One has many, who are all at the end of the order of names.
      [
        `INSERT INTO user_relatives (user_id, relative_id, relationship_type)
          SELECT 'row-00000', id, 'SON' FROM users WHERE full_name_key = 'name 6' ORDER BY md5(id) LIMIT ${members}
          ON CONFLICT DO NOTHING`,
      ],
      ['UPDATE counters SET value = (SELECT count(*) FROM users)'],
    ])
    await own.query('ANALYZE')
    // Tables of a hundred rows are read as a whole otherwise, which costs less than an index.
    const [{ name } = {}] = await own.query('SELECT current_database() AS name')
    await own.query(`ALTER DATABASE ${name} SET enable_seqscan = off`)
    // As docs/postgres.md says.
    await own.query(`ALTER DATABASE ${name} SET random_page_cost = 1.1`)
  })

  const numberOf = async (sql: string): Promise<number> => Number((await own.query(sql))[0]?.n)

  async function settled(): Promise<number> {
    while ((await numberOf(otherConnections)) > 0) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return numberOf(touched)
  }

  /** How many rows and entries a request has touched. */
  async function rowsOf(path: string, token: string): Promise<number> {
    const before = await settled()
    const { status } = await get(path, token, { origin: own.origin })
    expect(status).toBe(200)
    return (await settled()) - before
  }

  it.each(['', 'fullName', '-fullName', 'email', '-email', 'fullName,-email'])(
    'are few wherever a page by cursor begins: sort "%s"',
    async (sort) => {
      const { token } = await uniquePerson()
      const query = `page[limit]=10${sort && `&sort=${sort}`}`
      const deep = await get(`/users?${query}&page[offset]=1500`, token, { origin: own.origin })
      const cursor = deep.document.meta?.['pagination.nextCursor']
      for (const path of [`/users?${query}`, `/users?${query}&page[cursor]=${cursor}`]) {
        const rows = await rowsOf(path, token)
        expect(rows).toBeGreaterThan(0)
        expect(rows).toBeLessThan(150)
      }
    },
  )

  it('are few for an offset past the end, however far', async () => {
    const { token } = await uniquePerson('users.read')
    for (const offset of [25_000, Number.MAX_SAFE_INTEGER]) {
      expect(await rowsOf(`/users?sort=fullName&page[offset]=${offset}`, token)).toBeLessThan(5)
    }
  })

  it('are those that an offset skips, and few of the others', async () => {
    const { token } = await uniquePerson()
    const rows = await rowsOf('/users?sort=fullName&page[limit]=10&page[offset]=1500', token)
    expect(rows).toBeLessThan(1_500 + 150)
  })

  it.each(['fullName', '-email'])(
    'are those of the members of one resource, wherever they are in their order: sort "%s"',
    async (sort) => {
      const { token } = await uniquePerson()
      const rows = await rowsOf(`/users/row-00000/relatives?page[limit]=1&sort=${sort}`, token)
      expect(rows).toBeGreaterThanOrEqual(members)
      expect(rows).toBeLessThan(2 * members + 150)
    },
  )
})
