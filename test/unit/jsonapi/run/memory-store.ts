import {
  type Found,
  type From,
  type Linkage,
  linkageLimit,
  type Read,
  type ResourceRecord,
  type Selection,
  type Store,
} from '../../../../src/jsonapi/run/port.ts'

/** Ids by relationship. */
type Links = Readonly<Record<string, readonly string[]>>

/** What a list without parameters asks a store for. */
export const page: Extract<From, { kind: 'page' }> = {
  kind: 'page',
  filter: {},
  sort: [],
  after: undefined,
  offset: 0,
  limit: 20,
  total: false,
}

/** A resource to be stored: its links, by relationship. */
export interface Stored {
  readonly type: string
  readonly id: string
  readonly links?: Links
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly owned?: boolean
}

/** A store of a few resources in memory that records every round trip. It pages no collections. */
export function memoryStore(resources: readonly Stored[]) {
  const roundTrips: (readonly Read[])[] = []
  const find = (type: string, id: string): Stored | undefined =>
    resources.find((resource) => resource.type === type && resource.id === id)

  const recordOf = (selection: Selection, resource: Stored): ResourceRecord => {
    const { type, id, links = {}, attributes = {}, owned = false } = resource
    const names = [...selection.attributes, ...(owned ? selection.ownAttributes : [])]
    const linkage = selection.relationships.map((name): [string, Linkage] => {
      const ids = links[name] ?? []
      const shown = ids.slice(0, linkageLimit).map((target) => ({ id: target }))
      return [name, { members: shown, more: ids.length > linkageLimit }]
    })
    return {
      type,
      id,
      owned,
      attributes: Object.fromEntries(names.map((name) => [name, attributes[name]])),
      linkage: Object.fromEntries(linkage),
    }
  }

  const run = (read: Read): Found => {
    const { type, from, show, alongside } = read
    const of = from.kind === 'page' ? from.of : undefined
    const owner = of && find(of.type, of.id)
    const ids =
      from.kind === 'ids'
        ? from.ids
        : from.kind === 'linkage'
          ? [from.id]
          : (owner?.links?.[of?.relationship ?? ''] ?? [])
    const found =
      from.kind === 'page' && !of
        ? resources.filter((resource) => resource.type === type)
        : ids.flatMap((id) => find(type, id) ?? [])
    const members = from.kind === 'linkage' ? (found[0]?.links?.[from.relationship] ?? []) : []
    const records = found.map((resource) => recordOf(show, resource))
    const related = alongside.flatMap(({ relationship, target, show }) => {
      const targets =
        from.kind === 'linkage'
          ? members
          : records.flatMap(
              ({ linkage }) => linkage[relationship]?.members.map(({ id }) => id) ?? [],
            )
      const distinct = [...new Set(targets)].flatMap((id) => find(target, id) ?? [])
      return distinct.map((resource) => recordOf(show, resource))
    })
    return {
      // The owner of a linkage is handed over only to say that it exists.
      records: from.kind === 'linkage' ? records.map(bare) : records,
      ...(of && { isOrphan: !owner }),
      members: members.map((id) => ({ id })),
      position: undefined,
      total: records.length,
      related,
    }
  }

  const store: Store = {
    async read(reads) {
      roundTrips.push(reads)
      const [first, ...rest] = reads
      return [run(first), ...rest.map(run)]
    },
    write: async () => ({ kind: 'done', found: [] }),
  }
  return { store, roundTrips }
}

function bare(record: ResourceRecord): ResourceRecord {
  return { ...record, attributes: {}, linkage: {} }
}
