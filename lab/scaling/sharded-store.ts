import { keyOf } from '../../src/db/source.ts'
import type {
  Found,
  From,
  Read,
  ResourceRecord,
  Session,
  SessionStore,
  Usage,
} from '../../src/jsonapi/run/store.ts'
import { users } from '../../src/resources/users.ts'
import { databaseOf, generationsAfter, type Placement } from './placement.ts'

/** What reads over several databases have cost. `waves`: how often the request waited for databases. */
export interface SharedUsage extends Usage {
  waves: number
}

/** The type whose resources are spread; every database has all of the others. */
const spread = 'users'

/**
 * Reads from several databases as if they were one. Each answers the read it would answer alone; what they find
 * is merged by the sort keys, so that cursors, which are made of these keys, mean the same over all of them.
 */
export function shardedStore(shards: readonly SessionStore[], placement: Placement): SessionStore {
  const begin: SessionStore['begin'] = async (options) => {
    const sessions = await Promise.all(shards.map((shard) => shard.begin(options)))
    const usage = { waves: 0 }
    const ask = async (indices: readonly number[], read: (index: number) => Read) => {
      usage.waves++
      return Promise.all(indices.map(async (index) => readOne(at(sessions, index), read(index))))
    }
    return {
      async read(reads) {
        const [first, ...rest] = await Promise.all(
          reads.map((read) => readSpread(placement, shards.length, ask, read)),
        )
        return [first as Found, ...rest]
      },
      write: () => Promise.reject(new Error('The simulation reads only')),
      get usage() {
        return { ...sum(sessions), waves: usage.waves }
      },
      bookmark: async () => null,
    }
  }
  return { begin }
}

type Ask = (indices: readonly number[], read: (index: number) => Read) => Promise<Found[]>

async function readSpread(
  placement: Placement,
  count: number,
  ask: Ask,
  asked: Read,
): Promise<Found> {
  const { from, type } = asked
  // Targets that are spread too are elsewhere: the engine reads what did not come along by its ids.
  const alongside = asked.alongside.filter(({ target }) => target !== spread)
  const read = { ...asked, alongside }
  if (type !== spread) {
    return at(await ask([0], () => read), 0)
  }
  if (from.kind === 'page' && from.of) {
    throw new Error(
      'The simulation reads no related resources: members and targets lie in several databases',
    )
  }
  if (from.kind === 'linkage') {
    return at(await ask([databaseOf(placement, from.id)], () => read), 0)
  }
  const byDatabase = (ids: readonly string[]) => Map.groupBy(ids, (id) => databaseOf(placement, id))
  if (from.kind === 'ids') {
    const groups = byDatabase(from.ids)
    const found = await ask([...groups.keys()], (index) => ({
      ...read,
      from: { kind: 'ids', ids: groups.get(index) ?? [] },
    }))
    const records = new Map(found.flatMap((one) => one.records).map((one) => [one.id, one]))
    return { ...merged(found), records: from.ids.flatMap((id) => records.get(id) ?? []) }
  }
  const everywhere = Array.from({ length: count }, (_, index) => index)
  if (from.filter.id) {
    return pageOf(from, read, await askPages(ask, [...byDatabase(from.filter.id).keys()], read))
  }
  if (from.sort.length > 0 || from.total) {
    return pageOf(from, read, await askPages(ask, everywhere, read))
  }
  // In the order of ids, generations follow each other: most pages lie in one.
  const found: Found[] = []
  for (const databases of generationsAfter(placement, from.after?.[0] ?? '')) {
    found.push(...(await askPages(ask, databases, read)))
    if (found.reduce((rows, { records }) => rows + records.length, 0) > (from.limit ?? 0)) {
      break
    }
  }
  return pageOf(from, read, found)
}

type PageFrom = From & { readonly kind: 'page' }

/** Asks each database for all that could be on the page, with the values it is sorted by. */
function askPages(ask: Ask, indices: readonly number[], read: Read): Promise<Found[]> {
  const { offset, limit = 0, ...page } = read.from as PageFrom
  return ask(indices, () => ({
    ...read,
    from: { ...page, offset: 0, limit: offset + limit + 1 },
    show: {
      ...read.show,
      attributes: [...new Set([...read.show.attributes, ...page.sort.map(({ field }) => field)])],
    },
  }))
}

/** Merges sorted pages into one, and cuts it. */
function pageOf(from: PageFrom, read: Read, found: readonly Found[]): Found {
  const { offset, limit = Number.POSITIVE_INFINITY } = from
  const sorted = found
    .flatMap(({ records }) => records)
    .map((record) => ({ record, keys: keysOf(record, from) }))
    .sort((one, other) => compare(one.keys, other.keys, from))
  const page = sorted.slice(offset, offset + limit)
  const more = sorted.length > offset + page.length
  const wanted = read.show.attributes
  return {
    ...merged(found),
    records: page.map(({ record }) => ({
      ...record,
      attributes: Object.fromEntries(
        Object.entries(record.attributes).filter(([name]) => wanted.includes(name)),
      ),
    })),
    position: more ? page.at(-1)?.keys : undefined,
  }
}

function merged(found: readonly Found[]): Found {
  const totals = found.flatMap(({ total }) => total ?? [])
  const related = found.flatMap((one) => one.related).map((one) => [one.id, one] as const)
  return {
    records: [],
    members: [],
    position: undefined,
    total: totals.length > 0 ? totals.reduce((sum, total) => sum + total, 0) : undefined,
    related: [...new Map(related).values()],
  }
}

/** What a row is sorted by: as in the database; the id is last, unless a key is unique. */
function keysOf({ id, attributes }: ResourceRecord, { sort }: PageFrom): string[] {
  const fields = sort.map(({ field }) => field)
  const unique = fields.indexOf('email')
  const keys = fields.map((field) => keyOf(users, field, String(attributes[field])))
  return unique < 0 ? [...keys, id] : [...keys.slice(0, unique + 1), id]
}

/** Bytewise, as SQLite compares text. */
function compare(one: readonly string[], other: readonly string[], { sort }: PageFrom): number {
  for (const [index, key] of one.entries()) {
    const order = Buffer.compare(Buffer.from(key), Buffer.from(other[index] ?? ''))
    if (order !== 0) {
      return sort[index]?.descending ? -order : order
    }
  }
  return 0
}

async function readOne(session: Session, read: Read): Promise<Found> {
  const [found] = await session.read([read])
  return found
}

function sum(sessions: readonly Session[]): Usage {
  const of = (name: keyof Usage) => sessions.map(({ usage }) => usage[name])
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
  return {
    roundTrips: total(of('roundTrips')),
    rowsRead: total(of('rowsRead')),
    rowsWritten: total(of('rowsWritten')),
    attempts: Math.max(...of('attempts')),
    undone: total(of('undone')),
    undoneMs: total(of('undoneMs')),
  }
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index]
  if (item === undefined) {
    throw new Error(`There is no item ${index}`)
  }
  return item
}
