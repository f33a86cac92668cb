import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { type Client, connected } from '../../scripts/postgres/client.ts'
import { removeOldKeys } from '../../src/idempotency/stored-keys.ts'
import {
  creation,
  databaseAt,
  deletion,
  kindOf,
  oneWaits,
  otherConnections,
  related,
  renaming,
  storeAt,
} from './stores.ts'

/** An empty database of the tests in this file. */
const url = inject('isolationUrl')
let client: Client

beforeAll(async () => {
  client = await connected(url)
})

afterAll(() => client.end())

const numberOf = async (sql: string, ...values: unknown[]) =>
  Object.values((await client.query(sql, values)).rows[0] ?? {})[0]

/** How often the server has rolled back a transaction of this database, once all connections but that of this file have gone. */
async function rollbacks(): Promise<number> {
  await vi.waitFor(async () => expect(Number(await numberOf(otherConnections))).toBe(0), 20_000)
  await client.query('SELECT pg_stat_clear_snapshot()')
  return Number(
    await numberOf('SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()'),
  )
}

/** Runs a task for all items at once. */
const atOnce = <Item, Value>(items: readonly Item[], task: (item: Item) => Promise<Value>) =>
  Promise.all(items.map(task))

const many = (length: number) => Array.from({ length }, (_, index) => index)

describe('writes at the same time are carried out as if one came after the other', () => {
  it('all edits of a transaction are made or none, where 40 writes expect the same revisions', async () => {
    const store = storeAt(url)
    for (const round of many(8)) {
      const owner = `pair ${round}`
      const [first, second] = [creation(owner), creation(owner)]
      await store.write(first, second)
      // Half of them change both, and half of them the first one alone.
      const outcomes = await atOnce(many(40), (nth) => {
        const one = renaming(owner, first.id, `Name ${nth}`, first.revision)
        const other = renaming(owner, second.id, `Name ${nth}`, second.revision)
        return nth % 2 === 0 ? store.write(one, other) : store.write(one)
      })
      const [winner = -1, ...others] = outcomes.flatMap(({ kind }, nth) =>
        kind === 'done' ? [nth] : [],
      )
      expect([winner >= 0, others]).toEqual([true, []])
      expect(outcomes.filter((one) => kindOf(one) === 'stale')).toHaveLength(39)
      const names = await client.query<{ id: string; full_name: string }>(
        'SELECT id, full_name FROM users WHERE owner = $1',
        [owner],
      )
      expect(new Map(names.rows.map(({ id, full_name }) => [id, full_name]))).toEqual(
        new Map([
          [first.id, `Name ${winner}`],
          [second.id, winner % 2 === 0 ? `Name ${winner}` : `Person ${second.id}`],
        ]),
      )
    }
  })

  it('a transaction is told that an e-mail address is taken, where another write takes it after the transaction has found it free', async () => {
    const email = 'rival@example.com'
    await client.query('BEGIN')
    await client.query(
      `INSERT INTO users (id, owner, full_name, full_name_key, email, email_key)
        VALUES ('rival', 'rival', 'n', 'n', $1, $1)`,
      [email],
    )
    const outcome = storeAt(url).write(creation('late'), creation('late', undefined, email))
    await oneWaits(client)
    await client.query('COMMIT')
    expect(await outcome).toMatchObject({ at: 1, faults: [{ kind: 'taken' }] })
    await client.query("UPDATE counters SET value = value + 1 WHERE name = 'users'")
  })
})

it('the removal of old keys leaves a key that is stored anew at the same time', async () => {
  const store = (at: number) =>
    client.query(
      `INSERT INTO idempotency_keys (name, fingerprint, created, at) VALUES ('again', 'f', '', $1)
        ON CONFLICT (name) DO UPDATE SET at = excluded.at`,
      [at],
    )
  await store(0)
  await client.query('BEGIN')
  await store(Date.now())
  const removed = removeOldKeys(databaseAt(url), false)
  await oneWaits(client)
  await client.query('COMMIT')
  await removed
  expect(await numberOf("SELECT count(*) FROM idempotency_keys WHERE name = 'again'")).toBe(1)
})

describe('writes that concern each other little do not wait for each other', () => {
  /** What is done in a transaction that stays open until a task has ended. */
  async function during<Value>(sql: string, ids: readonly string[], task: () => Promise<Value>) {
    await client.query('BEGIN')
    await client.query(sql, [...ids])
    return task().finally(() => client.query('COMMIT'))
  }
  const [named, other] = [creation('is named'), creation('names others')]
  const naming = "INSERT INTO user_relatives VALUES ($1, $2, 'SON')"

  beforeAll(() =>
    storeAt(url)
      .write(named)
      .then(() => storeAt(url).write(other)),
  )

  it('creates of twelve persons, while another one is not over', async () => {
    const counting = "UPDATE counters SET value = value WHERE name = 'users'"
    const creates = await during(counting, [], async () => {
      const all = many(12).map((nth) => storeAt(url).write(creation(`one of twelve ${nth}`)))
      let done = 0
      for (const each of all) {
        void each.then(() => done++)
      }
      await vi.waitFor(() => expect(done).toBeGreaterThanOrEqual(4), 10_000)
      return all
    })
    expect((await Promise.all(creates)).map(kindOf)).toEqual(Array(12).fill('done'))
  })

  it('a change of a user whom somebody names, and somebody who names a user that is changed', async () => {
    const renamed = renaming('is named', named.id, 'Renamed')
    const rename = () => storeAt(url).write(renamed)
    expect(kindOf(await during(naming, [other.id, named.id], rename))).toBe('done')
    const changing = "UPDATE users SET full_name = 'Changed' WHERE id = $1"
    const name = () => storeAt(url).write(related('names others', other.id, named.id))
    expect(kindOf(await during(changing, [named.id], name))).toBe('done')
  })

  it('but a delete waits for who names the user, and the new member goes with it', async () => {
    const third = creation('names others')
    await storeAt(url).write(third)
    const [deleting] = await during(naming, [third.id, named.id], async () => {
      const write = storeAt(url).write(deletion('is named', named.id))
      await oneWaits(client)
      return [write]
    })
    expect(deleting && kindOf(await deleting)).toBe('done')
    expect(
      await numberOf('SELECT count(*) FROM user_relatives WHERE relative_id = $1', named.id),
    ).toBe(0)
  })
})

it('writes wait for each other and never lock each other out, where transactions name the same users in mixed order', async () => {
  const store = storeAt(url)
  const owner = 'mixed'
  const [first, second] = [creation(owner), creation(owner)]
  await store.write(first, second)
  const ids = [first.id, second.id] as const
  const before = await rollbacks()
  const outcomes = await atOnce(many(40), (nth) => {
    const [one, other] = nth % 2 === 0 ? ids : ([ids[1], ids[0]] as const)
    return store.write(renaming(owner, one, `Name ${nth}`), related(owner, other, one))
  })
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array(40).fill('done'))
  expect((await rollbacks()) - before).toBe(0)
})

it.each([1, 8])(
  'a family of eight is deleted at once, and no delete locks another one out (owners: %i)',
  async (owners) => {
    const store = storeAt(url)
    const ids = many(8).map(() => creation('').id)
    const ownerOf = (id: string) => `family of ${owners}: ${ids.indexOf(id) % owners}`
    for (const id of ids) {
      await store.write(creation(ownerOf(id), id))
    }
    for (const [one, other] of ids.flatMap((one) => ids.map((other) => [one, other] as const))) {
      await (one !== other && store.write(related(ownerOf(one), one, other)))
    }
    const before = await rollbacks()
    const outcomes = await atOnce(ids, (id) => store.write(deletion(ownerOf(id), id)))
    expect(outcomes.map(kindOf)).toEqual(Array(8).fill('done'))
    expect((await rollbacks()) - before).toBe(0)
  },
)

it('a write that the server ends because of a deadlock is sent again', async () => {
  const [one, other] = [creation('one of two'), creation('other of two')]
  await storeAt(url).write(one)
  await storeAt(url).write(other)
  await storeAt(url).write(related('other of two', other.id, one.id))
  await client.query('BEGIN')
  await client.query('DELETE FROM user_relatives WHERE user_id = $1', [other.id])
  const deleting = storeAt(url).write(deletion('one of two', one.id))
  await oneWaits(client)
  await client.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [one.id])
  await client.query('COMMIT')
  expect(kindOf(await deleting)).toBe('done')
  expect(await numberOf("SELECT count(*) FROM users WHERE owner = 'one of two'")).toBe(0)
})
