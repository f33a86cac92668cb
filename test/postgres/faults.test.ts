import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { freePort } from '../../scripts/lib/ports.ts'
import { type Client, connected } from '../../scripts/postgres/client.ts'
import { timeouts } from '../../scripts/postgres/demands.ts'
import { migrate } from '../../scripts/postgres/migrate.ts'
import { type PostgresServer, startPostgres } from '../../scripts/postgres/server.ts'
import { health } from '../../src/http/health.ts'
import type { ApiError } from '../../src/jsonapi/problems.ts'
import { type FaultyProxy, faultyProxy } from './faulty-proxy.ts'
import { creation, databaseAt, renaming, storeAt } from './stores.ts'

/** A server of this file alone, which it may stop, with few connections. */
let server: PostgresServer
let client: Client

beforeAll(async () => {
  server = await startPostgres({
    settings: {
      max_connections: '12',
      superuser_reserved_connections: '3',
      // What was answered must outlive the process.
      synchronous_commit: 'on',
      // Then a crash loses the transactions under way, and others get their numbers.
      wal_writer_delay: '10s',
    },
  })
  await migrate(server.url)
  client = await connected(server.url)
  await client.query("CREATE ROLE service LOGIN PASSWORD 'secret of a test'")
  await client.query('GRANT ALL ON ALL TABLES IN SCHEMA public TO service')
  // As docs/postgres.md says, but shorter.
  for (const name of Object.keys(timeouts)) {
    await client.query(`ALTER ROLE service SET ${name} = 3000`)
  }
})

afterAll(async () => {
  await client.end()
  await server.stop()
})

/** The address for a user who has no reserved connections. */
const address = () =>
  Object.assign(new URL(server.url), { username: 'service', password: 'secret of a test' }).href

const unavailable = 'The request cannot be served at the moment.'
const unknown = `${unavailable} Whether the change was made is not known.`

/** The detail of the error that a write ends in, or a read; the kind of its outcome where it does not, or what was read. */
async function endOf(call: Promise<{ readonly kind: string } | boolean>): Promise<string> {
  try {
    const end = await call
    return typeof end === 'boolean' ? `found: ${end}` : end.kind
  } catch (error) {
    return String((error as ApiError).problems[0]?.detail)
  }
}

const countOf = async (owner: string): Promise<number> => {
  const { rows } = await client.query<{ n: number }>(
    'SELECT count(*) AS n FROM users WHERE owner = $1',
    [owner],
  )
  return Number(rows[0]?.n)
}

/** A connection that holds a lock on counters, which each create has to wait for. */
async function locked(): Promise<Client> {
  const holder = await connected(server.url)
  onTestFinished(() => holder.end())
  await holder.query('BEGIN')
  await holder.query('LOCK TABLE counters IN ACCESS EXCLUSIVE MODE')
  return holder
}

/** Takes all connections that the service could have. */
async function allConnections(): Promise<Client[]> {
  const taken: Client[] = []
  const take = async (): Promise<void> => {
    for (;;) {
      taken.push(await connected(address()))
    }
  }
  await expect(take()).rejects.toThrow(/remaining connection slots|too many clients/)
  return taken
}

it('a server that waits for ever: the write ends at its deadline, and so does its statement', async () => {
  // Long enough for the statement to begin on a busy machine: else it is carried out when the lock is gone.
  const store = storeAt(address(), { deadlineMs: 2_000 })
  const edit = creation('stalled')
  const holder = await locked()
  const end = await endOf(store.write(edit))
  expect([unavailable, unknown]).toContain(end)
  await vi.waitFor(async () => {
    const { rows } = await client.query(
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' OR usename = 'service'",
    )
    expect(rows).toEqual([])
  }, 10_000)
  await holder.query('ROLLBACK')
  expect(await countOf('stalled')).toBe(0)
  expect(await endOf(storeAt(address()).write(edit))).toBe('done')
})

it('no connection left: a clear error, nothing written, and the next write works', async () => {
  const store = storeAt(address())
  const taken = await allConnections()
  expect(await endOf(store.write(creation('full')))).toBe(unavailable)
  expect(await endOf(store.has('nobody'))).toBe(unavailable)
  await Promise.all(taken.map((one) => one.end()))
  expect(await countOf('full')).toBe(0)
  expect(await endOf(store.write(creation('full')))).toBe('done')
})

describe('GET /health', () => {
  /** The report of a service on a database, and why the database fails as the log tells it. */
  async function reportOf(url: string) {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const response = await new Hono()
      .get('/health', health({ database: databaseAt(url, 2_000).ask }))
      .request('/health')
    const cause = log.mock.calls.map(([line]) => JSON.parse(String(line)).cause).join()
    log.mockRestore()
    const { checks } = (await response.json()) as { checks: { database: string } }
    return { status: response.status, database: checks.database, cause }
  }
  const well = { status: 200, database: 'ok', cause: '' }

  it('is 503 where the server refuses, and where nothing listens', async () => {
    for (const [change, words] of [
      [{ password: 'wrong' }, 'password authentication failed'],
      [{ port: '1' }, 'ECONNREFUSED'],
    ] as readonly (readonly [Record<string, string>, string])[]) {
      const { cause, ...report } = await reportOf(Object.assign(new URL(address()), change).href)
      expect(report).toEqual({ status: 503, database: 'failing' })
      expect(cause).toContain(words)
      expect(cause).not.toContain('secret of a test')
    }
  })

  it('is 503 while the server takes reads only, which are answered', async () => {
    await client.query('ALTER ROLE service SET default_transaction_read_only = on')
    expect(await reportOf(address())).toMatchObject({
      status: 503,
      database: 'failing',
      cause: expect.stringContaining('PostgreSQL takes no writes'),
    })
    expect(await endOf(storeAt(address()).has('nobody'))).toBe('found: false')
    await client.query('ALTER ROLE service RESET default_transaction_read_only')
    expect(await reportOf(address())).toEqual(well)
  })
})

it('nobody listens: a clear error, for reads and for writes, which are known to have written nothing', async () => {
  const url = new URL(address())
  url.port = String(await freePort())
  const store = storeAt(url.href)
  expect(await endOf(store.has('nobody'))).toBe(unavailable)
  expect(await endOf(store.write(creation('nobody')))).toBe(unavailable)
})

describe('answers that get lost', () => {
  let proxy: FaultyProxy
  const addressOfProxy = () => Object.assign(new URL(address()), { port: String(proxy.port) }).href

  beforeAll(async () => {
    proxy = await faultyProxy(Number(new URL(server.url).port))
  })

  afterAll(() => proxy[Symbol.asyncDispose]())

  const rows = (answer: Buffer): boolean => answer.includes('SELECT 0\0')
  /** A store whose first answer of that kind gets lost. It waits no longer than it must where none comes. */
  const losing = (way: 'stall' | 'cut', when: (answer: Buffer) => boolean) => {
    let isLost = false
    proxy.lose(way, (answer) => {
      const isFirst = !isLost && when(answer)
      isLost ||= isFirst
      return isFirst
    })
    return storeAt(addressOfProxy(), way === 'stall' ? { deadlineMs: 300 } : {})
  }
  /** A store that nothing gets lost of any more. */
  const mended = () => {
    proxy.lose('pass', () => false)
    return storeAt(addressOfProxy())
  }

  it.each(['stall', 'cut'] as const)(
    'the answer to a read, by %s: a clear error, and the next read works',
    async (way) => {
      expect(await endOf(losing(way, rows).has('nobody'))).toBe(unavailable)
      expect(await endOf(mended().has('nobody'))).toBe('found: false')
    },
  )

  it('the greeting of the server stalls: nothing was sent, which is known', async () => {
    const store = losing('stall', () => true)
    expect(await endOf(store.write(creation('greeting')))).toBe(unavailable)
    expect(await countOf('greeting')).toBe(0)
    expect(await endOf(mended().write(creation('greeting')))).toBe('done')
  })

  it('an update comes late, and so does its COMMIT: what was told as failed is never there', async () => {
    const store = storeAt(address())
    const person = creation('late update')
    await store.write(person)
    const late = storeAt(addressOfProxy(), { deadlineMs: 1_000 })
    proxy.delay(2_000, (sent) => sent.includes('update "users"'))
    const renamed = renaming('late update', person.id, 'Late')
    expect(await endOf(late.write(renamed))).toBe(unavailable)
    const other = renaming('late update', person.id, 'In time')
    expect(await endOf(store.write(other))).toBe('done')
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    const { rows } = await client.query('SELECT full_name FROM users WHERE id = $1', [person.id])
    expect(rows).toEqual([{ full_name: 'In time' }])
    proxy.delay(0, () => false)
  })

  it('a server that crashes before COMMIT: its next transaction gets the number, so the outcome is not known', async () => {
    const edit = creation('crashed')
    const cut = Promise.withResolvers<boolean>()
    const commit = (sent: Buffer): boolean => {
      if (sent.includes('commit')) {
        cut.resolve(true)
      }
      return sent.includes('commit')
    }
    proxy.delay(60_000, commit, true)
    const write = endOf(storeAt(addressOfProxy()).write(edit))
    await cut.promise
    await client.end()
    await server.end('SIGKILL')
    // Some of its processes may still run.
    await vi.waitFor(server.start, 20_000)
    client = await connected(server.url)
    await client.query('SELECT pg_current_xact_id()')
    expect(await write).toBe(unknown)
    expect(await countOf('crashed')).toBe(0)
    mended()
    proxy.delay(0, () => false)
  })

  it('none of these leaves a connection', async () => {
    await vi.waitFor(() => expect(proxy.open()).toBe(0), 10_000)
  })
})
