import type { Cards } from '../../../scripts/lib/cards.ts'
import { maxIncluded } from '../../../src/jsonapi/run/read.ts'
import { type Database, loadDatabase } from '../../../test/bench/database.ts'

/** Subjects of tokens. */
export const people = { attacker: 'attacker', writer: 'writer', reader: 'reader' } as const

/** The format of ids of users that are no ordinary people: behind those, before any that is made now. */
const idFormat = '019c0000-0000-7000-8000-%012d'

/** The id of the nth such user. */
export const idOf = (nth: number): string =>
  idFormat.replace('%012d', String(nth).padStart(12, '0'))

/** First number and count of the users of each kind, in the order in which a list shows them. */
export const groups = {
  /** Their first 20 relatives are twenty each, and nobody's twice. */
  far: { from: 0, count: 100 },
  /** As many relatives and citizenships as one may have. */
  hubs: { from: 100, count: 20 },
  /** Twenty relatives each among the first {@link maxIncluded} of them, so that three steps reach as many as an answer may include. */
  pool: { from: 1_000, count: 2_000 },
  /** They all name the {@link named} user: as many as one hundred people may own. */
  fans: { from: 200_000, count: 100_000 },
} as const

/** Ordinary people at the head of every list: what a plain first page shows. */
export const ordinary = 100

/** The user that writes are tried on. Only the writer owns it. */
export const standing = idOf(999_999)

/** Another user of the writer, whom many others name as a relative. */
export const named = idOf(999_998)

/**
 * What the {@link standing} user has: nothing, or as many relatives and citizenships as one may have, and as many who name it as a
 * transaction deletes (contract, section 13).
 */
export type StandingState = 'bare' | 'full'

/** What the service is asked about. */
export interface World {
  /** Removes all that was made since the world was, and makes the users of the writer anew. */
  readonly reset: (state: StandingState) => Promise<void>
  /** Ids of all countries. */
  readonly countries: readonly string[]
}

type Row = readonly (string | number | null)[]

/** Fills the database with people as large, and as dense a graph, as the rules allow. */
export async function buildWorld(db: Database, cards: Cards): Promise<World> {
  const seal = (id: string): Promise<string> => cards.seal(id, '4242 4242 4242 4242')
  await loadDatabase(db, { people: ordinary, seal })
  const columns = (await db.prepare("SELECT name FROM pragma_table_info('users')").raw()).map(
    String,
  )
  const insert = await inserter(db, columns)
  const countries = (await db.prepare('SELECT id FROM countries ORDER BY id').raw()).map(String)
  const { far, hubs, pool } = groups
  const numbers = [far, hubs, pool].flatMap(({ from, count }) => span(from, count))
  // One person owns at most 1,000 users; whoever owns the others is in league with the attacker.
  const users = await Promise.all(
    numbers.map(async (nth, index) =>
      largest(idOf(nth), index < 1_000 ? people.attacker : 'accomplice', await seal(idOf(nth))),
    ),
  )
  for (const some of chunks(users, 200)) {
    await db.batch([insert(some)])
  }
  const relatives = [
    ...span(far.from, far.count).flatMap((nth) => linksOf(nth, poolIds((nth - far.from) * 20, 20))),
    ...span(hubs.from, hubs.count).flatMap((nth) => linksOf(nth, poolIds(0, 1_000))),
    ...span(pool.from, pool.count).flatMap((nth) =>
      linksOf(nth, poolIds(((nth - pool.from) * 20) % maxIncluded, 20)),
    ),
  ].filter(([from, to]) => from !== to)
  const citizenships = numbers.flatMap((nth, index) => {
    const isHub = nth >= hubs.from && nth < hubs.from + hubs.count
    return rotated(countries, index * 7, isHub ? countries.length : 25).map((to) => [idOf(nth), to])
  })
  for (const some of chunks(relatives, 10_000)) {
    await db.batch([insertRelatives(db, some)])
  }
  for (const some of chunks(citizenships, 10_000)) {
    await db.batch([insertCitizenships(db, some)])
  }
  await db.batch([insertFans(db)])
  const ownRows = await Promise.all(
    [named, standing].map(async (id) => largest(id, people.writer, await seal(id))),
  )
  const standingLinks = [
    ...linksOf(999_999, poolIds(0, 1_000)),
    ...span(groups.fans.from, 1_000).map((nth) => [idOf(nth), standing, 'SON']),
  ]
  const total = ordinary + numbers.length + groups.fans.count + ownRows.length
  return {
    countries,
    async reset(state) {
      await db.batch([
        db.prepare('DELETE FROM users WHERE id >= ?').bind(standing),
        // The named user is made anew only where it is gone: its links take a fifth of a second.
        db.prepare('DELETE FROM user_relatives WHERE user_id = ?').bind(named),
        insert(ownRows),
        linkFans(db),
        ...(state === 'full'
          ? [
              insertRelatives(db, standingLinks),
              insertCitizenships(
                db,
                countries.map((to) => [standing, to]),
              ),
            ]
          : []),
        db.prepare("UPDATE counters SET value = ? WHERE name = 'users'").bind(total),
      ])
    },
  }
}

const span = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index)

const poolIds = (from: number, count: number): string[] =>
  span(from, count).map((nth) => idOf(groups.pool.from + (nth % groups.pool.count)))

const linksOf = (nth: number, to: readonly string[]): Row[] =>
  to.map((id) => [idOf(nth), id, 'DAUGHTER'])

function rotated(list: readonly string[], by: number, count: number): string[] {
  return span(by, count).flatMap((index) => list[index % list.length] ?? [])
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

/** A person whose every attribute is as long as may be (contract, section 6), in bytes of UTF-8. */
function largest(id: string, owner: string, card: string): Readonly<Record<string, string>> {
  const email = `${id.slice(-12).padEnd(64, 'x')}@${`${'d'.repeat(61)}.`.repeat(3)}com`
  const fullName = `${id.slice(-6)} ${'😀'.repeat(121)}`
  const addresses: object[] = []
  while (addresses.length < 20) {
    addresses.push({ city: '', zip: '0'.repeat(32), doorCode: '1'.repeat(32) })
    const room = 2_048 - Buffer.byteLength(JSON.stringify(addresses))
    if (room < 1) {
      addresses.pop()
      break
    }
    addresses[addresses.length - 1] = {
      city: 'c'.repeat(Math.min(128, room)),
      zip: '0'.repeat(32),
      doorCode: '1'.repeat(32),
    }
  }
  return {
    id,
    owner,
    full_name: fullName,
    full_name_key: fullName,
    email,
    email_key: email,
    card,
    addresses: JSON.stringify(addresses),
    place_of_birth: 'NO',
  }
}

/** Inserts users that there are not yet. Their other columns, whatever they are, are those of an ordinary person. */
async function inserter(db: Database, columns: readonly string[]) {
  const [template = []] = await db.prepare('SELECT * FROM users LIMIT 1').raw()
  const values = columns.map((_, index) => `value ->> ${index}`)
  const sql = `INSERT OR IGNORE INTO users (${columns.join(', ')}) SELECT ${values.join(', ')} FROM json_each(?)`
  return (users: readonly Readonly<Record<string, string>>[]) =>
    db
      .prepare(sql)
      .bind(
        JSON.stringify(
          users.map((user) => columns.map((name, index) => user[name] ?? template[index] ?? null)),
        ),
      )
}

function insertRelatives(db: Database, rows: readonly Row[]) {
  return db
    .prepare(
      `INSERT INTO user_relatives (user_id, relative_id, relationship_type)
        SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`,
    )
    .bind(JSON.stringify(rows))
}

function insertCitizenships(db: Database, rows: readonly Row[]) {
  return db
    .prepare(
      `INSERT INTO user_citizenships (user_id, country_id)
        SELECT value ->> 0, value ->> 1 FROM json_each(?)`,
    )
    .bind(JSON.stringify(rows))
}

/** Short rows: what they have is never read. */
function insertFans(db: Database) {
  const { from, count } = groups.fans
  return db
    .prepare(
      `WITH RECURSIVE numbers (nth) AS (SELECT ?1 UNION ALL SELECT nth + 1 FROM numbers WHERE nth + 1 < ?1 + ?2)
        INSERT INTO users (id, owner, full_name, full_name_key, email, email_key)
        SELECT printf('${idFormat}', nth), 'fan ' || nth % 100, 'Fan', 'fan', nth || '@fans.example', nth || '@fans.example' FROM numbers`,
    )
    .bind(from, count)
}

/** Has every fan name the {@link named} user, where none does. */
function linkFans(db: Database) {
  const { from, count } = groups.fans
  return db
    .prepare(
      `INSERT INTO user_relatives (user_id, relative_id, relationship_type)
        SELECT id, ?1, 'SON' FROM (SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM user_relatives WHERE relative_id = ?1))
        CROSS JOIN users WHERE id >= ?2 AND id < ?3`,
    )
    .bind(named, idOf(from), idOf(from + count))
}
