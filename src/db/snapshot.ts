import type { Registry } from '../jsonapi/declare/registry.ts'
import {
  type Found,
  linkageLimit,
  onlyId,
  type Read,
  type ResourceRecord,
} from '../jsonapi/run/store.ts'
import { firstOf, type Paging, passes } from './page.ts'
import { storedRelationship } from './source.ts'

/**
 * All resources of the types that are kept in memory, by type and id. They are in the order of their ids, and of no other: these types
 * have no sorts, as `src/db/check.ts` demands.
 */
export type Snapshot = ReadonlyMap<string, ReadonlyMap<string, Kept>>

/** A resource in memory. `linkage` has all members of its relationships, `record` those that a resource object shows. */
interface Kept extends Pick<ResourceRecord, 'id' | 'attributes' | 'linkage'> {
  readonly record: ResourceRecord
}

/** The reads that load a snapshot: every resource of each type that has one, with all attributes and all linkage. */
export function snapshotReads(registry: Registry): Read[] {
  return registry.types
    .map(registry.get)
    .filter(({ snapshot }) => snapshot)
    .map(({ type, attributes, relationships }) => ({
      type,
      from: {
        kind: 'page',
        filter: {},
        sort: [],
        after: undefined,
        offset: 0,
        limit: undefined,
        total: false,
      },
      show: {
        attributes: Object.keys(attributes),
        ownAttributes: [],
        relationships: Object.keys(relationships),
      },
      alongside: [],
      members: 'all',
      viewer: null,
    }))
}

/** The snapshot made from what the reads of {@link snapshotReads} found. */
export function snapshotOf(reads: readonly Read[], found: readonly Found[]): Snapshot {
  return new Map(
    reads.map(({ type }, index) => {
      const records = found[index]?.records ?? []
      return [type, new Map(records.map((all) => [all.id, { ...all, record: short(all) }]))]
    }),
  )
}

/** Answers a read of a type from the snapshot, but for related resources. */
export function readSnapshot(registry: Registry, snapshot: Snapshot, read: Read): Found {
  const { type, from } = read
  const definition = registry.get(type)
  switch (from.kind) {
    case 'ids':
      return { ...nothingFound, records: recordsOf(snapshot, type, from.ids) }
    case 'page': {
      const matching = [...typeIn(snapshot, type).values()].filter(passes(definition, from.filter))
      const { rows, ...page } = pageIn(matching, from, from.offset)
      const total = from.total ? matching.length : undefined
      return { ...nothingFound, ...page, records: rows.map(({ record }) => record), total }
    }
    case 'linkage': {
      const { target } = storedRelationship(definition, from.relationship)
      const owner = typeIn(snapshot, type).get(from.id)
      const members = owner?.linkage[from.relationship]?.members ?? []
      const targets = typeIn(snapshot, target)
      const isMatching = passes(registry.get(target), from.filter)
      const matching = members.filter(({ id }) => {
        const member = targets.get(id)
        return member !== undefined && isMatching(member)
      })
      const { rows, ...page } = pageIn(matching, from)
      return { ...nothingFound, ...page, records: owner ? [owner.record] : [], members: rows }
    }
  }
}

/**
 * The read of the members of a relationship that stands behind a page of related resources; undefined for another read. The
 * resource that has the relationship need not be in the snapshot.
 */
export function membersRead({ from, viewer }: Read): Read | undefined {
  if (from.kind !== 'page' || !from.of) {
    return undefined
  }
  const { of, filter, sort, after, limit } = from
  return {
    type: of.type,
    from: { ...of, kind: 'linkage', filter, sort, after, limit },
    show: onlyId,
    alongside: [],
    viewer,
  }
}

/** The page of related resources from the snapshot whose members {@link membersRead} has found. */
export function relatedPage(snapshot: Snapshot, { type }: Read, found: Found): Found {
  return {
    ...found,
    records: recordsOf(snapshot, type, idsOf(found.members)),
    members: [],
    isOrphan: found.records.length === 0,
  }
}

/** Adds the related resources that are in the snapshot to what a read has found. */
export function withRelated(
  registry: Registry,
  snapshot: Snapshot,
  { from, alongside }: Read,
  found: Found,
): Found {
  const kept = alongside.filter(({ target }) => registry.get(target).snapshot)
  const related = kept.flatMap(({ relationship, target }) => {
    const members =
      from.kind === 'linkage'
        ? found.members
        : found.records.flatMap(({ linkage }) => linkage[relationship]?.members ?? [])
    return recordsOf(snapshot, target, new Set(idsOf(members)))
  })
  return { ...found, related: [...found.related, ...related] }
}

const nothingFound: Found = {
  records: [],
  members: [],
  position: undefined,
  total: undefined,
  related: [],
}

/** The rows of a page of a list in the order of ids. */
function pageIn<Row extends { readonly id: string }>(
  list: readonly Row[],
  { after, limit }: Pick<Paging, 'after' | 'limit'>,
  offset = 0,
): { readonly rows: readonly Row[] } & Pick<Found, 'position'> {
  const [last] = after ?? []
  const following = last === undefined ? list : list.filter(({ id }) => id > last)
  const { shown: rows, more } = firstOf(following.slice(offset), limit)
  return { rows, position: more ? idsOf(rows.slice(-1)) : undefined }
}

/** The resources of the snapshot with these ids, as resource objects show them. Ids that do not exist are left out. */
function recordsOf(snapshot: Snapshot, type: string, ids: Iterable<string>): ResourceRecord[] {
  const records = typeIn(snapshot, type)
  return [...ids].flatMap((id) => records.get(id)?.record ?? [])
}

/** @throws Error when the type is not in the snapshot, which is a mistake in the program and never the caller's */
function typeIn(snapshot: Snapshot, type: string): ReadonlyMap<string, Kept> {
  const records = snapshot.get(type)
  if (!records) {
    throw new Error(`The snapshot in memory has no ${type}`)
  }
  return records
}

function idsOf(members: readonly { readonly id: string }[]): string[] {
  return members.map(({ id }) => id)
}

/** The resource with no more members of each relationship than a resource object shows. */
function short(record: ResourceRecord): ResourceRecord {
  const linkage = Object.entries(record.linkage).map(([name, { members }]) => {
    const { shown, more } = firstOf(members, linkageLimit)
    return [name, { members: shown, more }]
  })
  return { ...record, linkage: Object.fromEntries(linkage) }
}
