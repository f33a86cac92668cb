import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Client, connected } from '../../scripts/postgres/client.ts'
import { migrate } from '../../scripts/postgres/migrate.ts'
import { type PostgresServer, startPostgres } from '../../scripts/postgres/server.ts'
import type { Edit } from '../../src/jsonapi/run/port.ts'
import { judge, type Subject } from '../support/histories.ts'
import { type FaultyProxy, faultyProxy } from './faulty-proxy.ts'
import { creation, deletion, renaming, storeAt } from './stores.ts'

// What a caller is told whose COMMIT has no answer.

/** The writes that meet each fault, all at once, each in a database of its own. `person` is stored before. */
const kinds: Readonly<Record<string, (person: Edit) => readonly Edit[]>> = {
  create: () => [creation('owner')],
  transaction: ({ id }) => [renaming('owner', id, 'New name'), creation('owner')],
  update: ({ id, revision }) => [renaming('owner', id, 'New name', revision)],
  delete: ({ id }) => [deletion('owner', id)],
}

let server: PostgresServer
let proxy: FaultyProxy
/** A connection to the database of each kind of write, which waits for no disk. */
const clients = new Map<string, Client>()
const urlOf = (kind: string) => Object.assign(new URL(server.url), { pathname: `/${kind}` }).href
const addressOf = (kind: string) =>
  Object.assign(new URL(urlOf(kind)), {
    port: String(proxy.port),
    username: 'service',
    password: 'secret of a test',
  }).href

beforeAll(async () => {
  server = await startPostgres({ settings: { synchronous_commit: 'on' } })
  proxy = await faultyProxy(Number(new URL(server.url).port))
  const admin = await connected(server.url)
  await admin.query("CREATE ROLE service LOGIN PASSWORD 'secret of a test'")
  await admin.query("ALTER ROLE service SET idle_in_transaction_session_timeout = '5s'")
  for (const kind of Object.keys(kinds)) {
    await admin.query(`CREATE DATABASE "${kind}"`)
    await migrate(urlOf(kind))
    const client = await connected(urlOf(kind))
    await client.query('SET synchronous_commit = local')
    await client.query('GRANT ALL ON ALL TABLES IN SCHEMA public TO service')
    clients.set(kind, client)
  }
  await admin.end()
})

afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.end()))
  await proxy[Symbol.asyncDispose]()
  await server.stop()
})

beforeEach(async () => {
  await stall('')
  proxy.lose('pass', () => false)
  proxy.delay(0, () => false)
})

const commits = (answer: Buffer): boolean => answer.includes('COMMIT\0')
const commit = (sent: Buffer): boolean => sent.includes('commit')

/** From now on a COMMIT is stored, but has no effect and no answer, as while the disk stalls; with no standby it ends. */
async function stall(standby: string): Promise<void> {
  const admin = await connected(server.url)
  await admin.query('SET synchronous_commit = local')
  await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${standby}'`)
  await admin.query('SELECT pg_reload_conf()')
  const probe = await connected(server.url)
  const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
  while (standby && (await admin.query(waits)).rows.length === 0) {
    probe.query("SELECT pg_logical_emit_message(true, '', '')").catch(() => {})
  }
  void probe.end()
  await admin.end()
}

/** Lets writes of all kinds meet a fault; how each has ended, and whether it was made. */
async function meet({
  stallsFor = 0,
  others = (_people: readonly Edit[]): Promise<unknown> => Promise.resolve(),
  deadlineMs = 5_000,
} = {}) {
  const begun = await Promise.all(
    Object.entries(kinds).map(async ([kind, editsOf]) => {
      const person = creation('owner')
      await storeAt(urlOf(kind)).write(person)
      return { kind, person, edits: editsOf(person) }
    }),
  )
  if (stallsFor > 0) {
    await stall('nobody')
  }
  const [ends] = await Promise.all([
    Promise.all(
      begun.map(async ({ kind, edits }) => {
        try {
          return (await storeAt(addressOf(kind), { deadlineMs }).write(...edits)).kind
        } catch (error) {
          return String((error as { cause?: Error }).cause?.message)
        }
      }),
    ),
    others(begun.map(({ person }) => person)),
    pause(stallsFor).then(() => stall('')),
  ])
  const made = await Promise.all(
    begun.map(async ({ kind, edits }) => {
      const { rows = [] } = (await clients.get(kind)?.query('SELECT id, revision FROM users')) ?? {}
      return edits.every(({ id, revision, kind }) =>
        kind === 'delete'
          ? rows.every((row) => row.id !== id)
          : rows.some((row) => row.id === id && row.revision === revision),
      )
    }),
  )
  return begun.map(({ kind }, at) => [kind, ends[at], made[at] ? 'made' : 'not made'])
}

const all = (end: string, made = 'made') => Object.keys(kinds).map((kind) => [kind, end, made])
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const unknown = 'Whether the change was made is not known.'

describe('a write whose COMMIT', () => {
  it.each<[what: string, ends: string, faults: object, late?: number]>([
    ['waits for 9.5 s for the disk', 'done', { stallsFor: 9_500, deadlineMs: 6_000 }],
    ['waits for 12 s for the disk', unknown, { stallsFor: 12_000 }],
    ['is cut, while the disk stalls for 4 s', 'done', { stallsFor: 4_000 }, 0],
    ['arrives 2.95 s late, and takes 0.3 s', 'done', { stallsFor: 3_300 }, 2_950],
  ])('%s ends as follows: %s', async (_, ends, faults, late) => {
    proxy.delay(late ?? 0, (sent) => late !== undefined && commit(sent), true)
    expect(await meet(faults)).toEqual(all(ends))
  })

  it('never arrives is known not to be made, and is sent again', async () => {
    let count = 0
    proxy.delay(60_000, (sent) => commit(sent) && ++count <= Object.keys(kinds).length, true)
    expect(await meet()).toEqual(all('done'))
  })

  it('has no answer is known to be made, whatever others do to it before the service asks', async () => {
    proxy.lose('stall', commits)
    const others = async (people: readonly Edit[]) => {
      await pause(500)
      for (const [index, client] of [...clients.values()].entries()) {
        await client.query("UPDATE users SET full_name = 'Theirs', revision = 'theirs'")
        await client.query('DELETE FROM users WHERE id <> $1', [people[index]?.id])
      }
    }
    const expected = all('done', 'not made').with(3, ['delete', 'done', 'made'])
    expect(await meet({ others, deadlineMs: 1_000 })).toEqual(expected)
  })

  it.each(['cut', 'fail'] as const)(
    'has no answer (%s) is known to be made, and nothing waits for the clock of the server, which is 40 s behind',
    async (way) => {
      proxy.lose(way, commits)
      const { now } = Date
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 40_000)
      const timers = vi.spyOn(globalThis, 'setTimeout')
      expect(await meet()).toEqual(all('done'))
      expect(timers.mock.calls.filter(([, milliseconds = 0]) => milliseconds > 20_000)).toEqual([])
      clock.mockRestore()
      timers.mockRestore()
    },
  )

  it('has no answer is not known to be made where the role may not ask', async () => {
    for (const client of clients.values()) {
      await client.query('REVOKE EXECUTE ON FUNCTION pg_xact_status FROM PUBLIC')
    }
    proxy.lose('cut', commits)
    expect(await meet()).toEqual(all(unknown))
    for (const client of clients.values()) {
      await client.query('GRANT EXECUTE ON FUNCTION pg_xact_status TO PUBLIC')
    }
  })
})

const messages = Array.from({ length: 18 }, (_, index) => index)

it.each(['answer', 'message'] as const)(
  'a write whose connection is cut once at any %s is made once',
  async (which) => {
    for (const number of messages) {
      let count = 0
      const when = () => count++ === number
      if (which === 'answer') {
        proxy.lose('cut', when)
      } else {
        proxy.delay(0, when, true)
      }
      expect([number, await meet()]).toEqual([number, all('done')])
    }
  },
)

const rounds = 5

it(`whatever gets lost, and whoever writes meanwhile, what callers are told is true: ${rounds} times four histories`, async () => {
  let lost = 0
  let done = 0
  const often = (answer: Buffer) => {
    const isLost = Math.random() < (commits(answer) ? 0.3 : 0.002)
    lost += isLost && commits(answer) ? 1 : 0
    return isLost
  }
  const late = (sent: Buffer) => commit(sent) && Math.random() < 0.15
  let isOver = false
  const faults = async () => {
    for (let nth = 0; !isOver; nth++) {
      proxy.lose((['cut', 'stall', 'fail'] as const)[nth % 3] ?? 'cut', often)
      proxy.delay(Math.random() * 1_000, late, nth % 2 === 0)
      await pause(300)
      if (nth % 8 === 0) {
        await stall('nobody')
        await pause(Math.random() * 1_000)
        await stall('')
      }
    }
  }
  const lane = async ([kind, client]: readonly [string, Client]) => {
    const owner = 'owner'
    const subject: Subject = {
      write: storeAt(addressOf(kind), { deadlineMs: 2_000 }).write,
      async read() {
        const { rows } = await client.query('SELECT id, revision FROM users')
        return Object.fromEntries(rows.map(({ id, revision }) => [id, revision]))
      },
      create: () => creation(owner),
      update: (id, expected) => renaming(owner, id, 'New name', expected),
      remove: (id) => deletion(owner, id),
    }
    for (let round = 0; round < rounds; round++) {
      await client.query('DELETE FROM users')
      await storeAt(urlOf(kind)).write(creation(owner))
      const words = await judge(subject)
      done += words.filter((word) => word === 'done').length
    }
  }
  await Promise.all([
    Promise.all([...clients].map(lane)).finally(() => {
      isOver = true
    }),
    faults(),
  ])
  // Without them the test would show nothing.
  expect(lost).toBeGreaterThan(rounds)
  expect(done).toBeGreaterThan(rounds)
})
