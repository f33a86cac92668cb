import { getTableName } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { storedTables } from '../../scripts/operate/tables.ts'
import { type Client, connected } from '../../scripts/postgres/client.ts'
import { migrate } from '../../scripts/postgres/migrate.ts'
import { copy, type Read } from '../../scripts/postgres/move/copy.ts'
import { boolean, integer, primaryKey, table, text, timestamp } from '../../src/db/columns.ts'
import { type DatabaseBatch, d1, textOf } from '../support/databases.ts'
import { type Servers, startServers } from '../support/server.ts'
import { type Answer, buildFolder, mediaType, person, request } from '../support/service.ts'
import { postgresAt } from './database.ts'

const vars = { RATE_LIMIT_BURST_CAPACITY: '999999', RATE_LIMIT_REPLENISH_RATE: '999999' }
const all = 'users.read users.sensitive.read users.citizenships.read users.write'
const options = { empty: false, last: async () => {}, pageSize: 7 }

let admin: Client
let client: Client
/** Workers on both databases. */
let servers: Servers[]
let origins: string[]
let batch: DatabaseBatch
let token: string
beforeAll(async () => {
  admin = await connected(inject('postgresUrl'))
  const name = `move_${crypto.randomUUID().replaceAll('-', '')}`
  await admin.query(`CREATE DATABASE ${name}`)
  const url = Object.assign(new URL(inject('postgresUrl')), { pathname: `/${name}` }).href
  await migrate(url)
  client = await connected(url)
  const { d: _, ...published } = inject('signingKey')
  servers = [
    await startServers([published], d1),
    await startServers([published], postgresAt(url), await buildFolder()),
  ]
  origins = await Promise.all(servers.map((server) => server.urlOf(vars)))
  batch = async (statements) => (await servers[0]?.batch(vars, statements)) ?? []
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

const read: Read = async (statement) =>
  ((await batch([textOf(statement)]))[0] ?? []).map((row) => Object.values(row))

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

    expect(await copy(read, client, options)).toBeGreaterThan(250)

    for (const { table } of storedTables) {
      const count = `SELECT count(*) AS n FROM ${getTableName(table)}`
      expect((await client.query(count)).rows).toEqual((await batch([[count]]))[0])
    }
    const indexes = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"
    const keys =
      "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1"
    for (const sql of [indexes, keys]) {
      expect((await client.query(sql)).rows).toEqual((await admin.query(sql)).rows)
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

  it('keeps odd values of every kind of column', async () => {
    const kinds = table(
      'kinds',
      {
        id: text('id').notNull(),
        nth: integer('nth').notNull(),
        words: text('words'),
        yes: boolean('yes'),
        at: timestamp('at'),
      },
      (table) => [primaryKey({ columns: [table.id, table.nth] })],
    )
    const columns = 'id text, nth bigint, words text, yes boolean, at timestamptz (3)'
    await client.query(
      `CREATE TABLE kinds (later text NOT NULL DEFAULT 'x', ${columns}, PRIMARY KEY (id, nth))`,
    )
    await batch([[`CREATE TABLE kinds (${columns}, PRIMARY KEY (id, nth))`]])
    const rows = [
      ['a\\b', '9223372036854775807', `it's "quoted"; BEGIN TRANSACTION; COMMIT;`, 1, -1],
      ['a\\b', '-9223372036854775808', '\\N', 0, -2_208_988_800_000],
      [
        "a'",
        '0',
        'tab\t, lines\n\r\r\n, \u0001\u001b\u007f\u2028\u2029',
        null,
        253_402_300_799_999,
      ],
      ['é𝒳', '1', '\ufeff\u0301𝒳👩‍👩‍👧 \\. \\x00', 1, 0],
      ['é𝒳', '2', '', 0, 1_767_312_245_678],
      ['z', '3', null, null, null],
      ['z', '4', '-', null, null],
      ...Array.from({ length: 9 }, (_, nth) => ['zz', String(nth), 'x'.repeat(nth), nth % 2, nth]),
    ] as const
    const insert = 'INSERT INTO kinds VALUES (?1, CAST(?2 AS INTEGER), ?3, ?4, ?5)'
    await batch(rows.map((row) => [insert, ...row] as const))
    expect(
      await copy(read, client, { ...options, tables: [{ table: kinds, isWritten: true }] }),
    ).toBe(rows.length)
    const { rows: moved } = await client.query({
      text: `SELECT id, nth::text, words, yes::int, (extract(epoch FROM at) * 1000)::float8 FROM kinds`,
      rowMode: 'array',
    })
    expect(moved).toHaveLength(rows.length)
    expect(moved).toEqual(expect.arrayContaining(rows.map((row) => [...row])))
  })

  it('is refused over rows that are there, whose numbers it tells, users first, unless it is told to', async () => {
    await copy(read, client, options)
    const [{ n } = { n: 0 }] = (await client.query('SELECT count(*) AS n FROM users')).rows
    await expect(copy(read, client, options)).rejects.toThrow(
      new RegExp(
        `^PostgreSQL is not empty\\. Lost would be ${n} rows of users, \\d+ rows of user_\\w+, `,
      ),
    )
    await copy(read, client, { ...options, empty: true })
  })

  it('is undone as a whole where PostgreSQL holds other rows, and where its last step fails', async () => {
    const users = async () => (await client.query('SELECT count(*) AS n FROM users')).rows
    await client.query(`CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN NEW.full_name := 'other'; RETURN NEW; END $$`)
    await client.query(
      "CREATE TRIGGER other BEFORE INSERT ON users FOR EACH ROW WHEN (NEW.owner = '2') EXECUTE FUNCTION other()",
    )
    await expect(copy(read, client, options)).rejects.toThrow(
      /^Comparing users, rows \d+ to \d+ \(\S+ to \S+\): PostgreSQL holds other rows/,
    )
    await client.query('DROP FUNCTION other CASCADE')
    expect(await users()).toEqual([{ n: 0 }])
    const last = async () => {
      throw new Error('another deployment')
    }
    await expect(copy(read, client, { ...options, last })).rejects.toThrow('another deployment')
    expect(await users()).toEqual([{ n: 0 }])
  })
})
