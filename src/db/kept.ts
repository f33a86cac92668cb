import { linkageLimit, nothing, type Read, readOf, type Values } from '../jsonapi/run/plan.ts'
import type { Found, Member, ResourceRecord } from '../jsonapi/run/store.ts'
import { keyOf, type StoredDefinition, type StoredRegistry, storedRelationship } from './source.ts'

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
export function readKept(registry: StoredRegistry, snapshot: Snapshot, read: Read): Found {
  const { plan, values } = read
  const { type, from, alongside } = plan
  const { inOrder, byId } = keptType(snapshot, type)
  const { ids } = values
  if (from.kind === 'linkage') {
    const record = byId.get(ids[0] ?? '')
    const target = registry.get(storedRelationship(registry.get(type), from.relationship).target)
    const matching = linked(target, snapshot, record, from.relationship, values)
    const { items: members, ...rest } = paged(matching, values)
    const related = alongside.flatMap(({ target }) => recordsOf(snapshot, target, idsOf(members)))
    return { ...rest, records: record ? [record] : [], members, total: undefined, related }
  }
  const definition = registry.get(type)
  if (from.kind === 'page' && from.of) {
    const owner = keptType(snapshot, from.of.type).byId.get(ids[0] ?? '')
    const matching = linked(definition, snapshot, owner, from.of.relationship, values)
    const { items, ...rest } = paged(matching, values)
    return { ...keptPage(snapshot, read, idsOf(items), rest), isOrphan: !owner }
  }
  const matching =
    from.kind === 'ids' ? recordsOf(snapshot, type, ids) : filtered(definition, inOrder, values)
  const { items, ...rest } = paged(matching, values)
  const total = from.kind === 'page' && from.total ? matching.length : undefined
  return { ...keptPage(snapshot, read, idsOf(items), rest), total }
}

/**
 * The read of what the database alone knows of a page of kept resources: which ones a relationship of a stored resource
 * leads to. Undefined where memory knows all.
 */
export function membersRead(registry: StoredRegistry, { plan, values }: Read): Read | undefined {
  const { from } = plan
  if (from.kind !== 'page' || !from.of || registry.get(from.of.type).stored.kept) {
    return undefined
  }
  const { ids, filter, after, limit, viewer } = values
  return readOf({
    type: from.of.type,
    from: {
      kind: 'linkage',
      id: ids[0] ?? '',
      relationship: from.of.relationship,
      filter,
      sort: from.sort,
      after: from.after ? after : undefined,
      limit,
    },
    show: nothing,
    viewer,
  })
}

/** A page of kept resources, with what comes along; `members` is what {@link membersRead} found. */
export function keptMembers(snapshot: Snapshot, read: Read, members: Found): Found {
  const page = keptPage(snapshot, read, idsOf(members.members), members)
  return { ...page, isOrphan: members.records.length === 0 }
}

function keptPage(
  snapshot: Snapshot,
  { plan: { type, alongside } }: Read,
  ids: readonly string[],
  { more, position }: Pick<Found, 'more' | 'position'>,
): Found {
  const records = recordsOf(snapshot, type, ids)
  const related = alongside.flatMap(({ relationship, target }) => {
    const ids = records.flatMap(({ linkage }) => idsOf(linkage[relationship]?.members ?? []))
    return recordsOf(snapshot, target, new Set(ids))
  })
  return { records, members: [], more, position, total: undefined, related }
}

/** The members of a relationship whose targets are under the filters, in the order of their ids. */
function linked(
  target: StoredDefinition,
  snapshot: Snapshot,
  owner: ResourceRecord | undefined,
  relationship: string,
  values: Values,
): readonly Member[] {
  const members = owner?.linkage[relationship]?.members ?? []
  if (Object.keys(values.filter).length === 0) {
    return members
  }
  const found = filtered(target, recordsOf(snapshot, target.type, idsOf(members)), values)
  const matching = new Set(found.map(({ id }) => id))
  return members.filter(({ id }) => matching.has(id))
}

/** The part of a list in the order of ids that is asked for. */
function paged<Item extends { readonly id: string }>(
  list: readonly Item[],
  { after, offset, limit }: Values,
): { readonly items: readonly Item[] } & Pick<Found, 'more' | 'position'> {
  const [last] = after
  const following = last === undefined ? list : list.filter(({ id }) => id > last)
  const items = following.slice(offset, limit === undefined ? undefined : offset + limit)
  const more = offset + items.length < following.length
  return { items, more, position: more ? items.slice(-1).map(({ id }) => id) : undefined }
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

function idsOf(members: readonly { readonly id: string }[]): string[] {
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
