import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import {
  type Found,
  linkageLimit,
  type Member,
  onlyId,
  type Read,
  type ResourceRecord,
  type Store,
} from '../jsonapi/run/port.ts'
import { withDeadline } from '../lib/deadline.ts'
import { firstOf } from './cells.ts'
import { columnValue, keyColumn, keyOf, storedRelationship, textOf } from './stored.ts'

type ReadAll = (reads: readonly Read[]) => Promise<Found[]>

/** All reference data by type and id, in the order of the ids. */
type Memory = ReadonlyMap<string, ReadonlyMap<string, Kept>>

const nowhere: Memory = new Map()

/** A resource with all members of its relationships, and with those that a resource object shows. */
interface Kept {
  readonly all: ResourceRecord
  readonly shown: ResourceRecord
}

interface LoadOptions {
  /** Keeps a load alive when the request that began it ends. */
  readonly waitUntil: (promise: Promise<unknown>) => void
  /** Milliseconds that a request waits for a load. */
  readonly patience: number
  /** Is called when the data that serve could not be renewed. */
  readonly onStale: (error: unknown) => void
}

/** Milliseconds after which the data are loaded anew while they serve, and after which a request begins another first load. */
const [freshMs, stalledMs] = [5 * 60_000, 500]

/**
 * Answers reads of reference data from the memory of the isolate, and all others from the database. Do so once per isolate.
 *
 * @param load reads the reference data from the database
 */
export function withReferenceData(registry: Registry, load: ReadAll, options: LoadOptions) {
  const current = createMemory(registry, load, options)
  const isReference = (type: string): boolean => registry.get(type).snapshot === true
  const isNeeded = ({ type, alongside }: Read): boolean =>
    isReference(type) || alongside.some(({ target }) => isReference(target))
  return (read: ReadAll): Store['read'] =>
    async (reads) => {
      // Where the targets of a relationship are in memory, its members may be in the database.
      const steps = reads.map((each) => (isReference(each.type) && membersRead(each)) || each)
      const stored = steps.filter(({ type }) => !isReference(type))
      const [memory, answers] = await Promise.all([
        reads.some(isNeeded) ? current() : nowhere,
        stored.length > 0 ? read(stored) : [],
      ])
      const all = reads.map((asked, index) => {
        const step = steps[index] as Read
        const found = isReference(step.type)
          ? foundIn(memory, registry, step)
          : (answers.shift() as Found)
        const page = step === asked ? found : relatedPage(memory, asked, found)
        return withRelated(memory, asked, page)
      })
      return all as [Found, ...Found[]]
    }
}

/** Gives the function that gives the reference data: they are loaded at first use, and renewed while they serve. */
function createMemory(registry: Registry, load: ReadAll, options: LoadOptions) {
  const { waitUntil, patience, onStale } = options
  const reads = registry.types.map(registry.get).flatMap(readOfAll)
  let memory: Memory | undefined
  let loading: Promise<Memory> | undefined
  let begunAt = 0
  const begin = (): void => {
    begunAt = Date.now()
    const isRenewal = memory !== undefined
    loading = load(reads).then((found) => {
      memory = new Map(reads.map(({ type }, index) => [type, kept(found[index])]))
      return memory
    })
    const failed = (error: unknown): void => {
      loading = undefined
      if (isRenewal) {
        onStale(error)
      }
    }
    waitUntil(loading.catch(failed))
  }
  const late = (): Memory => {
    if (!memory) {
      throw new Error(`The reference data were not loaded within ${patience} ms`)
    }
    return memory
  }
  return (): Memory | Promise<Memory> => {
    const age = Date.now() - begunAt
    // A first load may stall, because the request that began it has ended.
    if (memory ? age >= freshMs : !loading || age >= stalledMs) {
      begin()
    }
    return memory ?? withDeadline(loading as Promise<Memory>, patience, late)
  }
}

/** The read of all resources of a type with all that they have; none where the type is no reference data. */
function readOfAll({ type, snapshot, attributes, relationships }: ResourceDefinition): Read[] {
  const page = { filter: {}, sort: [], after: undefined, limit: undefined, offset: 0, total: false }
  const show = {
    attributes: Object.keys(attributes),
    ownAttributes: [],
    relationships: Object.keys(relationships),
  }
  const from = { kind: 'page', ...page } as const
  return snapshot ? [{ type, from, show, alongside: [], members: 'all', viewer: null }] : []
}

/** Resources by their ids. */
function kept(found: Found | undefined): ReadonlyMap<string, Kept> {
  return new Map(found?.records.map((all) => [all.id, { all, shown: shownOf(all) }]))
}

/** The resource with the first members of each relationship, which a resource object shows. */
function shownOf(record: ResourceRecord): ResourceRecord {
  const linkage = Object.entries(record.linkage).map(([name, { members }]) => {
    const { shown, more } = firstOf(members, linkageLimit)
    return [name, { members: shown, more }]
  })
  return { ...record, linkage: Object.fromEntries(linkage) }
}

/** The read of the members behind a page of related resources; undefined for another read. */
function membersRead(read: Read): Read | undefined {
  const { from } = read
  return from.kind === 'page' && from.of
    ? { ...read, type: from.of.type, from: { ...from, ...from.of, kind: 'linkage' }, show: onlyId }
    : undefined
}

/** The page of related resources whose members {@link membersRead} has found. */
function relatedPage(memory: Memory, { type }: Read, { records, members, ...found }: Found): Found {
  const related = recordsOf(memory, type, members)
  return { ...found, records: related, members: [], isOrphan: records.length === 0 }
}

/** What was found, with the related resources that are in memory. */
function withRelated(memory: Memory, { from, alongside }: Read, found: Found): Found {
  const related = alongside.flatMap(({ relationship, target }) => {
    const linked = ({ linkage }: ResourceRecord) => linkage[relationship]?.members ?? []
    const members = from.kind === 'linkage' ? found.members : found.records.flatMap(linked)
    return recordsOf(memory, target, members)
  })
  return related.length > 0 ? { ...found, related: [...found.related, ...related] } : found
}

const nothing = { records: [], members: [], position: undefined, total: undefined, related: [] }

/** Answers a read of reference data. They are in the order of ids, and have no other, as the check of declarations demands. */
function foundIn(memory: Memory, registry: Registry, { type, from }: Read): Found {
  if (from.kind === 'ids') {
    const ids = from.ids.map((id) => ({ id }))
    return { ...nothing, records: recordsOf(memory, type, ids) }
  }
  const isLinkage = from.kind === 'linkage'
  const owner = isLinkage ? memory.get(type)?.get(from.id) : undefined
  const subject = isLinkage
    ? storedRelationship(registry.get(type), from.relationship).target
    : type
  const all: readonly Member[] = isLinkage
    ? (owner?.all.linkage[from.relationship]?.members ?? [])
    : [...(memory.get(type)?.values() ?? [])].map(({ shown }) => shown)
  const { limit, filter, after: [last] = [] } = from
  const passing = Object.entries(filter).reduce(
    (left, each) => left.filter(passes(registry.get(subject), memory.get(subject), ...each)),
    all,
  )
  const behind = last === undefined ? passing : passing.filter(({ id }) => id > last)
  const { shown, more } = firstOf(isLinkage ? behind : behind.slice(from.offset), limit)
  const position = more ? shown.slice(-1).map(({ id }) => id) : undefined
  return isLinkage
    ? { ...nothing, records: owner ? [owner.shown] : [], members: shown, position }
    : {
        ...nothing,
        records: shown as readonly ResourceRecord[],
        position,
        total: from.total ? passing.length : undefined,
      }
}

/** Gives the function that tells whether a resource, by its id, passes a filter. */
function passes(
  definition: ResourceDefinition,
  resources: ReadonlyMap<string, Kept> | undefined,
  field: string,
  texts: readonly string[],
) {
  const column = keyColumn(definition, field)
  const keyIn = (value: unknown): string =>
    textOf(columnValue(column, keyOf(definition, field, textOf(value))))
  const wanted = new Set(texts.map(keyIn))
  return ({ id }: { readonly id: string }): boolean => {
    const value = field === 'id' ? id : resources?.get(id)?.all.attributes[field]
    return value != null && wanted.has(keyIn(value))
  }
}

/** The resources with these ids, each once. Ids that do not exist are left out. */
function recordsOf(memory: Memory, type: string, members: readonly Member[]): ResourceRecord[] {
  const ids = new Set(members.map(({ id }) => id))
  return [...ids].flatMap((id) => memory.get(type)?.get(id)?.shown ?? [])
}
