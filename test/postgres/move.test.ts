import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { paths } from '../../scripts/lib/config.ts'
import { d1From } from '../../scripts/operate/database.ts'
import { type Client, connected, hyperdriveVariable } from '../../scripts/postgres/client.ts'
import { migrate } from '../../scripts/postgres/migrate.ts'
import { copy, type Target } from '../../scripts/postgres/move/copy.ts'
import { d1At, postgresAt } from '../../scripts/postgres/move/databases.ts'
import { quiet, serviceAt } from '../../scripts/postgres/move/quiet.ts'
import { move } from '../../scripts/postgres/move/steps.ts'
import { type DatabaseKind, d1 } from '../support/databases.ts'
import { type Servers, startServers } from '../support/server.ts'
import { type Answer, mediaType, person, request } from '../support/service.ts'
import { audience, issuer, jwksUrl } from '../support/signing-key.ts'

const vars = {
  READ_ONLY: 'false',
  RATE_LIMIT_BURST_CAPACITY: '999999',
  RATE_LIMIT_REPLENISH_RATE: '999999',
}
const transaction = `${mediaType}; ext="https://jsonapi.org/ext/atomic"`
const all = 'users.read users.sensitive.read users.citizenships.read users.write'
const owner = 'mover'
const silent = { empties: false, print: () => {}, pageSize: 100 }

/** PostgreSQL of the tests, with a database that has no tables yet. */
function onPostgres(url: string): DatabaseKind {
  return {
    name: 'PostgreSQL',
    config: paths.postgresConfig,
    async prepare() {
      process.env[hyperdriveVariable] = url
      return async () => async () => []
    },
    async close() {},
  }
}

let admin: Client
let client: Client
let servers: Record<'d1' | 'postgres', Servers>
let origins: Record<'d1' | 'postgres', string>
let ends: Record<'d1' | 'postgres', Target>
/** The Worker that has the route. */
let route: 'd1' | 'postgres' = 'd1'
let token: string

beforeAll(async () => {
  const { d: _, ...published } = inject('signingKey')
  admin = await connected(inject('postgresUrl'))
  const name = `move_${crypto.randomUUID().replaceAll('-', '')}`
  await admin.query(`CREATE DATABASE ${name}`)
  const url = Object.assign(new URL(inject('postgresUrl')), { pathname: `/${name}` }).href
  await migrate(url)
  client = await connected(url)
  servers = {
    d1: await startServers([published], d1),
    postgres: await startServers([published], onPostgres(url), inject('build')),
  }
  origins = { d1: await servers.d1.urlOf(vars), postgres: await servers.postgres.urlOf(vars) }
  /** Each time by the Worker that runs at present: with other variables it is another one. */
  const run = async (statements: readonly string[]) => {
    const db = await servers.d1.databaseOf(vars)
    return db(statements.map((sql) => [sql]))
  }
  ends = {
    d1: d1At({
      ask: async (statements) => (await run(statements)) as never,
      run: async (statements) => {
        await run(statements)
      },
    }),
    postgres: postgresAt(client),
  }
  token = await person(owner, all)
}, 600_000)

afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.close()))
  await client.end()
  await admin.end()
})

const call = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
  request(method, path.startsWith('/jsonapi') ? path : `/jsonapi${path}`, {
    token,
    body,
    headers,
    origin: origins[route],
  })

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

/** Twenty more users, in one transaction. */
async function addTwenty(): Promise<void> {
  const operations = Array.from({ length: 20 }, (_, nth) => ({
    op: 'add',
    data: {
      ...draft(`Ågot ${nth}`).data,
      relationships: {
        citizenships: {
          data: [
            { type: 'countries', id: 'NO' },
            { type: 'countries', id: 'SE' },
          ],
        },
      },
    },
  }))
  const headers = { accept: transaction, 'content-type': transaction }
  const answer = await call('POST', '/operations', { 'atomic:operations': operations }, headers)
  expect(answer.status).toBe(200)
}

/** What somebody who works all the time was told, by the id of each user: the name that is stored, undefined once it is deleted. */
const told = new Map<string, string | undefined>()
let refused = 0
let working = true

/** Sends a request until it is answered, and no more refused. Where an answer was lost, an earlier one may have been carried out. */
async function insist(...args: Parameters<typeof call>) {
  for (let isUnsure = false; ; ) {
    const answer = await call(...args).catch(() => undefined)
    if (answer && answer.status !== 500) {
      return { status: answer.status, headers: answer.headers, text: answer.text, isUnsure }
    }
    // A Worker that gets other variables here is gone for a moment.
    isUnsure ||= answer === undefined
    refused += answer ? 1 : 0
    await sleep(50)
  }
}

/** Creates, renames, reads and deletes users, one after the other. */
async function work(): Promise<void> {
  for (let turn = 0; working; turn++) {
    const body = draft(`Worker ${turn}`)
    const made = await insist('POST', '/users', body, { 'idempotency-key': crypto.randomUUID() })
    expect(made.status).toBe(201)
    const path = String(made.headers.location)
    const id = path.slice(path.lastIndexOf('/') + 1)
    const fullName = `Renamed ${turn}`
    const change = { data: { type: 'users', id, attributes: { fullName } } }
    const renamed = await insist('PATCH', path, change, { 'if-match': made.headers.etag })
    expect(renamed.isUnsure ? [204, 412] : [204]).toContain(renamed.status)
    told.set(id, fullName)
    const read = await insist('GET', path)
    expect(read.status).toBe(200)
    expect(read.text).toContain(fullName)
    if (turn % 5 === 0) {
      const gone = await insist('DELETE', path)
      expect(gone.isUnsure ? [204, 404] : [204]).toContain(gone.status)
      told.set(id, undefined)
    }
  }
}

/** Sees that everything which was answered is there. */
async function demandAll(): Promise<void> {
  for (const [id, name] of told) {
    const { status, text } = await call('GET', `/users/${id}`)
    expect([id, status]).toEqual([id, name === undefined ? 404 : 200])
    expect(text).toContain(name ?? 'NOT_FOUND')
  }
}

/** Takes the source out of writing, copies, and hands the route over, as docs/postgres.md says. */
async function handOver(to: 'd1' | 'postgres', empties = false) {
  const from = to === 'd1' ? 'postgres' : 'd1'
  await servers[to].change(vars, { READ_ONLY: 'true' })
  await servers[from].change(vars, { READ_ONLY: 'true' })
  const users = serviceAt(origins[from], {
    TOKEN_ISSUER: issuer,
    TOKEN_AUDIENCE: audience,
    AUTH_URL: issuer,
    JWKS_URL: jwksUrl,
  })
  // Nothing is under way for as long here: the Worker has answered all of them by then.
  await quiet(
    users,
    () => {},
    () => sleep(500),
  )
  const sums = await copy(ends[from], ends[to], { ...silent, empties })
  route = to
  await servers[to].change(vars, { READ_ONLY: 'false' })
  return sums
}

describe('A move from D1 to PostgreSQL and back', () => {
  it('loses nothing that was answered, and keeps tags, cursors, keys and cards', async () => {
    for (let round = 0; round < 10; round++) {
      await addTwenty()
    }
    const mine = await call('POST', '/users', draft('Ødegård'))
    const path = String(mine.headers.location)
    const tag = String((await call('GET', path)).headers.etag)
    const lists = ['/users?page[limit]=7', '/users?sort=fullName&page[limit]=7']
    const nexts = await Promise.all(
      lists.map(async (list) => {
        const { meta } = (await call('GET', list)).document
        const link = `${list}&page[cursor]=${meta?.['pagination.nextCursor']}`
        return { link, data: (await call('GET', link)).document.data }
      }),
    )
    const keyed = [draft('Keyed'), { 'idempotency-key': crypto.randomUUID() }] as const
    const first = await call('POST', '/users', ...keyed)
    const total = (answer: Answer) => answer.document.meta?.['pagination.totalItems']

    /** What is from before is good for the Worker that has the route now. */
    async function demandBefore(): Promise<void> {
      expect((await call('GET', path, undefined, { 'if-none-match': tag })).status).toBe(304)
      expect((await call('GET', path)).document.data.attributes).toMatchObject({
        fullName: 'Ødegård',
        creditCardNumber: '4111 1111 1111 1111',
      })
      for (const { link, data } of nexts) {
        expect((await call('GET', link)).document.data).toEqual(data)
      }
      const again = await call('POST', '/users', ...keyed)
      expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true'])
      expect(again.headers.location).toBe(first.headers.location)
      const rows = await ends[route].ask(['SELECT count(*) AS n FROM users'])
      expect(total(await call('GET', '/users?page[limit]=1'))).toBe(Number(rows[0]?.[0]?.n))
    }

    const worker = work()
    await sleep(500)
    const sums = await handOver('postgres')
    expect(sums.get('users')?.rows).toBeGreaterThan(200)
    expect(refused).toBeGreaterThan(0)
    await sleep(500)
    working = false
    await worker
    const hadBefore = told.size
    expect(hadBefore).toBeGreaterThan(2)
    await demandAll()
    await demandBefore()

    working = true
    const again = work()
    await sleep(300)
    await expect(copy(ends.postgres, ends.d1, silent)).rejects.toThrow('D1 is not empty: ')
    await handOver('d1', true)
    await sleep(300)
    working = false
    await again
    expect(told.size).toBeGreaterThan(hadBefore)
    await demandAll()
    await demandBefore()
    const change = { data: { type: 'users', id: path.split('/').at(-1), attributes: {} } }
    expect((await call('PATCH', path, change, { 'if-match': tag })).status).toBe(204)
  }, 600_000)

  it('is undone as a whole on PostgreSQL where the source has changed meanwhile', async () => {
    const before = await client.query('SELECT * FROM users ORDER BY id')
    const changing: Target = {
      ...ends.d1,
      async ask(statements) {
        const rows = await ends.d1.ask(statements)
        if (statements.join().includes('idempotency_keys')) {
          await addTwenty()
        }
        return rows
      },
    }
    await expect(copy(changing, ends.postgres, { ...silent, empties: true })).rejects.toThrow(
      'D1 has changed while it was copied: users has',
    )
    expect((await client.query('SELECT * FROM users ORDER BY id')).rows).toEqual(before.rows)
  })

  it('says nothing of the password where PostgreSQL cannot be reached', async () => {
    const url = 'postgres://somebody:s3cr%2Ft@127.0.0.1:1/users'
    const database = d1From({})
    const config = paths.wranglerConfig
    const moving = { to: 'postgres', empties: false, env: undefined, service: undefined } as const
    const error = await move({ ...moving, database, url, config }).catch((error) => error)
    expect(error.name).toBe('Complaint')
    expect(error.message).toMatch(/^The database users at 127\.0\.0\.1:1 cannot be reached: ./)
    for (const text of [error.message, String(error.cause)]) {
      expect(text).not.toMatch(/s3cr/)
    }
  })
})
