import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, connected } from '../../scripts/postgres/client.ts'
import { migrate } from '../../scripts/postgres/migrate.ts'
import { type PostgresServer, startPostgres } from '../../scripts/postgres/server.ts'
import type { ApiError } from '../../src/jsonapi/errors.ts'
import { creation, renaming, storeAt } from './stores.ts'

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
    },
  })
  await migrate(server.url)
  client = await connected(server.url)
  await client.query("CREATE ROLE service LOGIN PASSWORD 'secret of a test'")
  await client.query('GRANT ALL ON ALL TABLES IN SCHEMA public TO service')
})

afterAll(async () => {
  await client.end()
  await server.stop()
})

/** The address for a user who has no reserved connections. */
const address = () =>
  Object.assign(new URL(server.url), { username: 'service', password: 'secret of a test' }).href

const unavailable = 'The request cannot be served at the moment.'

/** The detail of the error that a write ends in; the kind of its outcome where it does not. */
async function endOf(write: Promise<{ readonly kind: string }>): Promise<string> {
  try {
    return (await write).kind
  } catch (error) {
    return String((error as ApiError).problems[0].detail)
  }
}

const countOf = async (owner: string): Promise<number> => {
  const { rows } = await client.query<{ n: number }>(
    'SELECT count(*) AS n FROM users WHERE owner = $1',
    [owner],
  )
  return Number(rows[0]?.n)
}

it('a backend that is killed in mid-transaction: the write is made once', async () => {
  const store = storeAt(address())
  const edit = creation('killed')
  // A lock that the create has to wait for.
  const holder = await connected(server.url)
  await holder.query('BEGIN')
  await holder.query('LOCK TABLE counter_changes IN ACCESS EXCLUSIVE MODE')
  const write = endOf(store.write(edit))
  for (;;) {
    const { rows } = await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
    )
    if (rows.length > 0) {
      break
    }
  }
  await holder.query('ROLLBACK')
  await holder.end()
  expect(await write).toBe('done')
  expect(await countOf('killed')).toBe(1)
})

it('a server that waits for ever: the write ends at its deadline, and so does its statement', async () => {
  const store = storeAt(address(), { deadlineMs: 300 })
  const edit = creation('stalled')
  const holder = await connected(server.url)
  await holder.query('BEGIN')
  await holder.query('LOCK TABLE counter_changes IN ACCESS EXCLUSIVE MODE')
  const end = await endOf(store.write(edit))
  expect([unavailable, `${unavailable} Whether the change was made is not known.`]).toContain(end)
  await new Promise((resolve) => setTimeout(resolve, 300))
  const { rows } = await client.query(
    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
  )
  expect(rows).toEqual([])
  await holder.query('ROLLBACK')
  await holder.end()
  expect(await countOf('stalled')).toBe(0)
  expect(await endOf(store.write(edit))).toBe('done')
})

it('no connection left: a clear error, nothing written, and the next write works', async () => {
  const store = storeAt(address())
  const taken: Client[] = []
  const rest = async (): Promise<void> => {
    for (;;) {
      taken.push(await connected(address()))
    }
  }
  await expect(rest()).rejects.toThrow(/remaining connection slots|too many clients/)
  expect(await endOf(store.write(creation('full')))).toBe(unavailable)
  await Promise.all(taken.map((one) => one.end()))
  expect(await countOf('full')).toBe(0)
  expect(await endOf(store.write(creation('full')))).toBe('done')
})

it('a server that takes reads only, as after a failover: nothing written, and known to be', async () => {
  const store = storeAt(address())
  await client.query('ALTER ROLE service SET default_transaction_read_only = on')
  const edit = creation('read only')
  expect(await endOf(store.write(edit))).toBe(unavailable)
  await client.query('ALTER ROLE service RESET default_transaction_read_only')
  expect(await endOf(store.write(edit))).toBe('done')
})

it('a wrong password, or a database that is not there: a clear error', async () => {
  for (const change of [{ password: 'wrong' }, { pathname: '/nowhere' }]) {
    const url = new URL(address())
    Object.assign(url, change)
    expect(await endOf(storeAt(url.href).write(creation('nobody')))).toBe(unavailable)
  }
})

it.each(['SIGINT', 'SIGKILL'] as const)(
  'a server that is stopped by %s and starts again: nothing lost, nothing doubled',
  async (how) => {
    const owner = `restart ${how}`
    const store = storeAt(address())
    const first = creation(owner)
    expect(await endOf(store.write(first))).toBe('done')
    await client.end()
    const writing = Promise.all(
      Array.from({ length: 6 }, async () => {
        const edit = creation(owner)
        return { edit, end: await endOf(store.write(edit)) }
      }),
    )
    await server.restart(how)
    client = await connected(server.url)
    const written = await writing
    const { rows } = await client.query<{ id: string }>('SELECT id FROM users WHERE owner = $1', [
      owner,
    ])
    const there = new Set(rows.map(({ id }) => id))
    // What was answered as done is there, and what is known not to be done is not.
    for (const { edit, end } of written) {
      if (end === 'done' || end === unavailable) {
        expect({ end, isThere: there.has(edit.change.id) }).toEqual({
          end,
          isThere: end === 'done',
        })
      }
    }
    expect(await endOf(store.write(renaming(owner, first.change.id, 'Afterwards')))).toBe('done')
  },
)
