import { linkageLimit, type Read, readOf, type Values } from '../jsonapi/run/plan.ts'
import type { Found, Member, ResourceRecord } from '../jsonapi/run/store.ts'
import { keyOf, type StoredDefinition, type StoredRegistry } from './source.ts'

/** All resources of the kept types, by type, in the order of their ids; linkage whole. */
export type Snapshot = ReadonlyMap<string, KeptType>

/** The resources of one kept type. */
interface KeptType {
  readonly inOrder: readonly ResourceRecord[]
  readonly byId: ReadonlyMap<string, ResourceRecord>
}

/** The reads that load a snapshot: every resource of every kept type, with all that is stored of it. */
export function snapshotReads(registry: StoredRegistry): Read[] {
  const from = {
    kind: 'page',
    filter: {},
    sort: [],
    after: undefined,
    offset: 0,
    limit: undefined,
    total: false,
  } as const
  return registry.types
    .map(registry.get)
    .filter(({ stored }) => stored.kept)
    .map(({ type, attributes, relationships }) => {
      const show = {
        attributes: Object.keys(attributes),
        ownAttributes: [],
        relationships: Object.keys(relationships),
      }
      return readOf({ type, from, show, members: 'all', viewer: null })
    })
}

/** The snapshot that the reads found. */
export function snapshotOf(reads: readonly Read[], found: readonly Found[]): Snapshot {
  return new Map(
    reads.map(({ plan: { type } }, index) => {
      const inOrder = (found[index]?.records ?? []).map(
        (record): ResourceRecord => ({ ...record, lasting: true }),
      )
      return [type, { inOrder, byId: new Map(inOrder.map((record) => [record.id, record])) }]
    }),
  )
}

/** Answers a read of a kept type from memory. What it relates to must be kept too. */
export function readKept(
  definition: StoredDefinition,
  snapshot: Snapshot,
  { plan, values }: Read,
): Found {
  const { type, from, alongside } = plan
  const { inOrder, byId } = keptType(snapshot, type)
  const { after, ids, limit } = values
  if (from.kind === 'linkage') {
    const record = byId.get(ids[0] ?? '')
    const all = record?.linkage[from.relationship]?.members ?? []
    const following = from.after ? all.filter(({ id }) => id > (after[0] ?? '')) : all
    const members = following.slice(0, limit)
    const more = members.length < following.length
    return {
      records: record ? [record] : [],
      members,
      more,
      position: more ? members.slice(-1).map(({ id }) => id) : undefined,
      total: undefined,
      related: alongside.flatMap(({ target }) => recordsOf(snapshot, target, idsOf(members))),
    }
  }
  const matching =
    from.kind === 'ids' ? recordsOf(snapshot, type, ids) : filtered(definition, inOrder, values)
  const all = after.length > 0 ? matching.filter(({ id }) => id > (after[0] ?? '')) : matching
  const end = limit === undefined ? undefined : values.offset + limit
  const records = all.slice(values.offset, end).map(short)
  const more = values.offset + records.length < all.length
  return {
    records,
    members: [],
    more,
    position: more ? records.slice(-1).map(({ id }) => id) : undefined,
    total: from.kind === 'page' && from.total ? matching.length : undefined,
    related: alongside.flatMap(({ relationship, target }) => {
      const ids = records.flatMap(({ linkage }) => idsOf(linkage[relationship]?.members ?? []))
      return recordsOf(snapshot, target, new Set(ids))
    }),
  }
}

/** The kept resources with these ids; those that do not exist are left out. */
export function recordsOf(
  snapshot: Snapshot,
  type: string,
  ids: Iterable<string>,
): readonly ResourceRecord[] {
  const { byId } = keptType(snapshot, type)
  return [...ids].flatMap((id) => byId.get(id) ?? []).map(short)
}

function keptType(snapshot: Snapshot, type: string): KeptType {
  const kept = snapshot.get(type)
  if (!kept) {
    throw new Error(`${type} is not kept in memory`)
  }
  return kept
}

/** The resources that have one of the values of each filter. */
function filtered(
  definition: StoredDefinition,
  records: readonly ResourceRecord[],
  { filter }: Values,
): readonly ResourceRecord[] {
  const wanted = Object.entries(filter).map(
    ([name, values]) =>
      [name, new Set(values.map((value) => keyOf(definition, name, value)))] as const,
  )
  return records.filter((record) =>
    wanted.every(([name, values]) => {
      const value = name === 'id' ? record.id : record.attributes[name]
      return value != null && values.has(keyOf(definition, name, String(value)))
    }),
  )
}

function idsOf(members: readonly Member[]): string[] {
  return members.map(({ id }) => id)
}

/** A resource with as much linkage as a resource object carries. */
function short(record: ResourceRecord): ResourceRecord {
  const long = Object.values(record.linkage).some(({ members }) => members.length > linkageLimit)
  if (!long) {
    return record
  }
  const linkage = Object.entries(record.linkage).map(([name, { members }]) => [
    name,
    { members: members.slice(0, linkageLimit), more: members.length > linkageLimit },
  ])
  return { ...record, linkage: Object.fromEntries(linkage) }
}
