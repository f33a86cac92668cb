import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { paths } from '../../scripts/lib/config.ts'
import { type Client, connected, hyperdriveVariable } from '../../scripts/postgres/client.ts'
import { migrate } from '../../scripts/postgres/migrate.ts'
import { copy, type Query } from '../../scripts/postgres/move/copy.ts'
import { tablesOf } from '../../scripts/postgres/move/tables.ts'
import { d1 } from '../support/databases.ts'
import { type Servers, startServers } from '../support/server.ts'
import { type Answer, buildFolder, mediaType, person, request } from '../support/service.ts'

const vars = { RATE_LIMIT_BURST_CAPACITY: '999999', RATE_LIMIT_REPLENISH_RATE: '999999' }
const all = 'users.read users.sensitive.read users.citizenships.read users.write'
const options = { empty: false, print: () => {}, last: async () => {}, pageSize: 7 }

let admin: Client
let client: Client
/** Workers on both databases. */
let servers: Servers[]
let origins: string[]
let query: Query
let token: string
beforeAll(async () => {
  admin = await connected(inject('postgresUrl'))
  const name = `move_${crypto.randomUUID().replaceAll('-', '')}`
  await admin.query(`CREATE DATABASE ${name}`)
  const url = Object.assign(new URL(inject('postgresUrl')), { pathname: `/${name}` }).href
  await migrate(url)
  client = await connected(url)
  const { d: _, ...published } = inject('signingKey')
  const onPostgres = {
    name: 'PostgreSQL',
    config: paths.postgresConfig,
    async prepare() {
      process.env[hyperdriveVariable] = url
      return async () => async () => []
    },
    async close() {},
  } as const
  servers = [
    await startServers([published], d1),
    await startServers([published], onPostgres, await buildFolder()),
  ]
  origins = await Promise.all(servers.map((server) => server.urlOf(vars)))
  const batch = await servers[0]?.databaseOf(vars)
  query = async (sql) => ((await batch?.([[sql]]))?.[0] ?? []) as Awaited<ReturnType<Query>>
  token = await person('mover', all)
}, 600_000)
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()))
  await client.end()
  await admin.end()
})
beforeEach(async () => {
  await client.query('TRUNCATE users, user_citizenships, user_relatives, idempotency_keys')
})

/** Calls the Worker on D1, or the one on PostgreSQL. */
function call(
  on: 'D1' | 'PostgreSQL',
  method: string,
  path: string,
  body?: unknown,
  headers = {},
): Promise<Answer> {
  const origin = origins[on === 'D1' ? 0 : 1] ?? ''
  return request(method, `/jsonapi${path}`, {
    token,
    body,
    headers: { 'content-type': mediaType, ...headers },
    origin,
  })
}

const draft = (fullName: string) => ({
  data: {
    type: 'users',
    attributes: {
      fullName,
      email: `${crypto.randomUUID()}@move.example`,
      creditCardNumber: '4111 1111 1111 1111',
    },
  },
})

describe('A move from D1 to PostgreSQL', () => {
  it('keeps ids, tags, cursors, keys of requests, cards and the number of users', async () => {
    const made = await call('D1', 'POST', '/users', draft("Ødegård's BEGIN TRANSACTION; COMMIT;"))
    expect(made.status).toBe(201)
    const path = `/users/${made.document.data.id}`
    const key = { 'idempotency-key': crypto.randomUUID() }
    const keyed = draft('Keyed')
    const first = await call('D1', 'POST', '/users', keyed, key)
    const reads = [path, `${path}/citizenships`, '/users?sort=fullName&page[limit]=9']
    const { meta } = (await call('D1', 'GET', reads[2] ?? '')).document
    reads.push(`${reads[2]}&page[cursor]=${meta?.['pagination.nextCursor']}`)
    const before = await Promise.all(reads.map((read) => call('D1', 'GET', read)))
    expect(before.map(({ status }) => status)).toEqual([200, 200, 200, 200])

    expect(await copy(query, client, options)).toBeGreaterThan(250)

    for (const { name } of tablesOf()) {
      const count = `SELECT count(*) AS n FROM ${name}`
      expect((await client.query(count)).rows).toEqual(await query(count))
    }
    for (const [nth, read] of reads.entries()) {
      const after = await call('PostgreSQL', 'GET', read)
      expect(after.document).toEqual(before[nth]?.document)
      expect(after.headers.etag).toBe(before[nth]?.headers.etag)
    }
    const again = await call('PostgreSQL', 'POST', '/users', keyed, key)
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true'])
    expect(again.headers.location).toBe(first.headers.location)
    const change = { data: { type: 'users', id: made.document.data.id, attributes: {} } }
    const tag = { 'if-match': String(before[0]?.headers.etag) }
    expect((await call('PostgreSQL', 'PATCH', path, change, tag)).status).toBe(204)
  }, 600_000)

  it('keeps numbers, booleans and dates', async () => {
    await client.query('CREATE TABLE kinds (id text, n bigint, yes boolean, at timestamptz (3))')
    const named = { n: 'number', yes: 'boolean', at: 'date', id: 'string' } as const
    const columns = Object.entries(named).map(([name, dataType]) => ({ name, dataType }))
    const tables = [{ name: 'kinds', columns, key: ['id'], isWritten: true }]
    const rows = [
      { id: 'a', n: 2 ** 40, yes: 1, at: -1 },
      { id: 'b', n: 0, yes: 0, at: 1_767_312_245_678 },
      { id: 'c', n: null, yes: null, at: null },
    ]
    expect(await copy(async () => rows, client, { ...options, tables })).toBe(3)
    const { rows: moved } = await client.query('SELECT n, yes, at FROM kinds ORDER BY id')
    expect(moved.map(({ n }) => n)).toEqual(rows.map(({ n }) => n))
    expect(moved.map(({ yes }) => yes)).toEqual([true, false, null])
    expect(moved.map(({ at }) => at && Number(at))).toEqual(rows.map(({ at }) => at))
  })

  it('is refused over rows that are there, unless it is told to', async () => {
    await copy(query, client, options)
    await expect(copy(query, client, options)).rejects.toThrow('PostgreSQL is not empty: rows of')
    await copy(query, client, { ...options, empty: true })
  })

  it('is undone as a whole where PostgreSQL holds other rows, and where its last step fails', async () => {
    const users = async () => (await client.query('SELECT count(*) AS n FROM users')).rows
    const changing: Query = async (sql) => {
      if (sql.includes('user_relatives')) {
        await client.query("UPDATE users SET full_name = 'other' WHERE owner = '2'")
      }
      return query(sql)
    }
    await expect(copy(changing, client, options)).rejects.toThrow('other rows of users')
    expect(await users()).toEqual([{ n: 0 }])
    const last = async () => {
      throw new Error('another deployment')
    }
    await expect(copy(query, client, { ...options, last })).rejects.toThrow('another deployment')
    expect(await users()).toEqual([{ n: 0 }])
  })
})
