import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrate } from '../../scripts/postgres/migrate.ts'
import type { ApiError } from '../../src/jsonapi/problems.ts'
import { type From, onlyId, type Read } from '../../src/jsonapi/run/port.ts'
import { type OwnedDatabase, ownedDatabase } from './owned-database.ts'
import { creation, oneWaits, openStoreAt, storeAt } from './stores.ts'

let owned: OwnedDatabase
beforeAll(async () => {
  owned = await ownedDatabase()
  await migrate(owned.url)
  // An insert fails with the SQLSTATE that stands before the name of its owner, the first time.
  await owned.admin.query(`CREATE SEQUENCE failures;
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
      IF NEW.owner LIKE '_____ once' AND nextval('failures') = 1 OR NEW.owner LIKE '_____ always' THEN
        RAISE EXCEPTION 'failed' USING ERRCODE = left(NEW.owner, 5);
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER fail BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION fail()`)
})
afterAll(() => owned.drop())

const numberOf = async (sql: string, ...values: readonly string[]) =>
  Number((await owned.admin.query(sql, [...values])).rows[0]?.n)

/** How a create ends: the kind of its outcome or the detail of its error; how often it was sent, and how many users there are then. */
async function endOf(owner: string) {
  await owned.admin.query("SELECT setval('failures', 1, false)")
  const session = openStoreAt(owned.service.url).begin({ writes: true })
  const end = await session
    .write([creation(owner)])
    .then(({ kind }) => kind)
    .catch((error: ApiError) => error.problems[0]?.detail)
    .finally(() => session.close())
  const users = await numberOf('SELECT count(*) AS n FROM users WHERE owner = $1', owner)
  return [end, session.usage.attempts, users]
}

const unavailable = 'The request cannot be served at the moment.'

it.each([
  ['40001', 'a serialization failure'],
  ['40P01', 'a deadlock'],
  ['55P03', 'a lock that does not come'],
  ['25006', 'a server that takes reads only'],
  ['57P05', 'a session that was idle for too long'],
  ['23505', 'a value that was taken meanwhile'],
  ['57P01', 'a server that shuts down, before COMMIT'],
])(
  'a write that ends in %s, %s, was not made, and is sent again: five times at most',
  async (state) => {
    expect(await endOf(`${state} once`)).toEqual(['done', 2, 1])
    const end = `${unavailable} Nothing was written.`
    expect(await endOf(`${state} always`)).toEqual([end, 5, 0])
  },
)

it.each([
  ['57014', 'a statement that takes too long'],
  ['22003', 'a number out of range'],
])('a write that ends in %s, %s, is not sent again', async (state) => {
  expect(await endOf(`${state} once`)).toEqual([expect.stringContaining(unavailable), 1, 0])
})

it('a read of several statements sees one state, although another transaction commits between them', async () => {
  await storeAt(owned.service.url).write(creation('before'))
  const rows = { filter: {}, sort: [], after: undefined, limit: 100, offset: 0, total: true }
  const reading = (from: From): Read => ({
    ...{ type: 'users', from, show: onlyId, alongside: [], viewer: null },
  })
  const session = openStoreAt(owned.service.url).begin({ writes: false })
  // The second statement, which tells the total, waits.
  await owned.admin.query('BEGIN; LOCK TABLE counters IN ACCESS EXCLUSIVE MODE')
  const both = session.read([
    reading({ kind: 'ids', ids: ['between'] }),
    reading({ kind: 'page', ...rows }),
  ])
  await oneWaits(owned.admin)
  await owned.admin.query(`INSERT INTO users (id, owner, full_name, full_name_key, email, email_key)
      VALUES ('between', 'between', 'B', 'b', 'b@b', 'b@b');
    UPDATE counters SET value = value + 1 WHERE name = 'users'; COMMIT`)
  const [first, page] = await both
  session.close()
  expect(first?.records).toEqual([])
  expect(page?.records.map(({ id }) => id)).not.toContain('between')
  expect(page?.total).toBe(page?.records.length)
  expect(await storeAt(owned.service.url).has('between')).toBe(true)
})
