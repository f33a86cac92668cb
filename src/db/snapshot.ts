import { linkageLimit, nothing, type Read, readOf, type Values } from '../jsonapi/run/plan.ts'
import type { Found, Member, ResourceRecord } from '../jsonapi/run/store.ts'
import { keyOf, type StoredDefinition, type StoredRegistry, storedRelationship } from './source.ts'

/** All resources of the types that are kept in memory, by type, each with its whole linkage. */
export type Snapshot = ReadonlyMap<string, SnapshotType>

/** The resources of one type in a snapshot. */
interface SnapshotType {
  /** In the order of their ids. */
  readonly inOrder: readonly ResourceRecord[]
  readonly byId: ReadonlyMap<string, ResourceRecord>
  /** By id, with no more members of each relationship than a resource object shows. */
  readonly shown: ReadonlyMap<string, ResourceRecord>
}

/** The reads that load a snapshot: every resource of each type that has one, with all attributes and all linkage. */
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
    .filter(({ snapshot }) => snapshot)
    .map(({ type, attributes, relationships }) => {
      const show = {
        attributes: Object.keys(attributes),
        ownAttributes: [],
        relationships: Object.keys(relationships),
      }
      return readOf({ type, from, show, members: 'all', viewer: null })
    })
}

/** The snapshot made from what the reads of {@link snapshotReads} found. */
export function snapshotOf(reads: readonly Read[], found: readonly Found[]): Snapshot {
  return new Map(
    reads.map(({ plan: { type } }, index) => {
      const inOrder = (found[index]?.records ?? []).map(
        (record): ResourceRecord => ({ ...record, lasting: true }),
      )
      const byId = new Map(inOrder.map((record) => [record.id, record]))
      const shown = new Map(inOrder.map((record) => [record.id, short(record)]))
      return [type, { inOrder, byId, shown }]
    }),
  )
}

/** Answers a read of a type from the snapshot. Types that it is related to must be in the snapshot, too. */
export function readSnapshot(registry: StoredRegistry, snapshot: Snapshot, read: Read): Found {
  const { plan, values } = read
  const { type, from, alongside } = plan
  const { inOrder, byId } = typeIn(snapshot, type)
  const { ids } = values
  if (from.kind === 'linkage') {
    const record = byId.get(ids[0] ?? '')
    const target = registry.get(storedRelationship(registry.get(type), from.relationship).target)
    const matching = matchingMembers(target, snapshot, record, from.relationship, values)
    const { items: members, ...rest } = paged(matching, values)
    const related = alongside.flatMap(({ target }) => recordsOf(snapshot, target, idsOf(members)))
    return { ...rest, records: record ? [record] : [], members, total: undefined, related }
  }
  const definition = registry.get(type)
  if (from.kind === 'page' && from.of) {
    const owner = typeIn(snapshot, from.of.type).byId.get(ids[0] ?? '')
    const matching = matchingMembers(definition, snapshot, owner, from.of.relationship, values)
    const { items, ...rest } = paged(matching, values)
    return { ...snapshotPage(snapshot, read, idsOf(items), rest), isOrphan: !owner }
  }
  const matching =
    from.kind === 'ids' ? recordsOf(snapshot, type, ids) : filtered(definition, inOrder, values)
  const { items, ...rest } = paged(matching, values)
  const total = from.kind === 'page' && from.total ? matching.length : undefined
  return { ...snapshotPage(snapshot, read, idsOf(items), rest), total }
}

/**
 * The read that a page of resources of the snapshot needs from the database: the members of a relationship of a resource
 * that is not in the snapshot. Undefined where the snapshot holds everything that the page needs.
 */
export function membersRead(registry: StoredRegistry, { plan, values }: Read): Read | undefined {
  const { from } = plan
  if (from.kind !== 'page' || !from.of || registry.get(from.of.type).snapshot) {
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

/** A page of resources of the snapshot, with their related resources. `members` is what {@link membersRead} found. */
export function membersPage(snapshot: Snapshot, read: Read, members: Found): Found {
  const page = snapshotPage(snapshot, read, idsOf(members.members), members)
  return { ...page, isOrphan: members.records.length === 0 }
}

function snapshotPage(
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

/** The members of a relationship whose targets pass the filters, in the order of their ids. */
function matchingMembers(
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

/** The page of a list that the read asks for. The list is in the order of ids. */
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

/** The resources of the snapshot with these ids, as resource objects show them. Ids that do not exist are left out. */
export function recordsOf(
  snapshot: Snapshot,
  type: string,
  ids: Iterable<string>,
): readonly ResourceRecord[] {
  const { shown } = typeIn(snapshot, type)
  const records: ResourceRecord[] = []
  for (const id of ids) {
    const record = shown.get(id)
    if (record) {
      records.push(record)
    }
  }
  return records
}

function typeIn(snapshot: Snapshot, type: string): SnapshotType {
  const found = snapshot.get(type)
  if (!found) {
    throw new Error(`The snapshot in memory has no ${type}`)
  }
  return found
}

/** The resources that have, for each filter, one of its values. */
function filtered(
  definition: StoredDefinition,
  records: readonly ResourceRecord[],
  { filter }: Values,
): readonly ResourceRecord[] {
  const wanted = Object.entries(filter).map(
    ([name, values]) =>
      [name, new Set(values.map((value) => keyOf(definition, name, value)))] as const,
  )
  if (wanted.length === 0) {
    return records
  }
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

/** The resource with no more members of each relationship than a resource object shows. */
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
