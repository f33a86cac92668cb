import type { Registry } from '../jsonapi/declare/registry.ts'
import type { ResourceDefinition } from '../jsonapi/declare/resource.ts'
import {
  type Found,
  type Linkage,
  linkageLimit,
  type Member,
  onlyId,
  type Read,
  type ResourceRecord,
  type Store,
} from '../jsonapi/run/port.ts'
import { withDeadline } from '../lib/deadline.ts'
import { firstOf } from './cells.ts'
import { filterKey, storedRelationship, textOf } from './stored.ts'

type ReadAll = (reads: readonly Read[]) => Promise<Found[]>

/** A resource in memory. Its linkage has the first members, which a resource object shows, and all of them. */
interface Kept extends ResourceRecord {
  readonly linkage: Readonly<Record<string, Linkage & { readonly all: readonly Member[] }>>
}

/** All reference data by type. */
type Memory = ReadonlyMap<string, ReturnType<typeof tableOf>>

const noMemory: Memory = new Map()

/** How reference data are loaded. */
export interface LoadOptions {
  /** Keeps work alive when the request that began it ends. */
  readonly waitUntil: (promise: Promise<unknown>) => void
  /** Is called if a reload has failed, and older data stay in use. */
  readonly onStale: (error: unknown) => void
  /** Milliseconds that a request waits for a load. */
  readonly patience: number
}

/** Milliseconds until the data are reloaded, and until a first load without an answer is repeated. */
const [freshMs, stalledMs] = [5 * 60_000, 500]

/**
 * Answers reads of reference data from the memory of the isolate, and all others from the database. Do so once per isolate.
 *
 * @param load reads the reference data from the database
 * @returns the function that reads; its second parameter reads from the database
 */
export function withReferenceData(registry: Registry, load: ReadAll, options: LoadOptions) {
  const current = createMemory(registry, load, options)
  const isReference = (type: string): boolean => registry.get(type).snapshot === true
  // Included reference data are read by their ids afterwards. They are loaded now, so that a request waits once.
  const isNeeded = ({ type, prefetch = [] }: Read): boolean => [type, ...prefetch].some(isReference)
  return async (reads: readonly Read[], readStored: ReadAll): ReturnType<Store['read']> => {
    const firstReads = reads.map((asked) => (isReference(asked.type) ? membersRead(asked) : asked))
    const stored = firstReads.filter(({ type }) => !isReference(type))
    const [memory, answers] = await Promise.all([
      reads.some(isNeeded) ? current() : noMemory,
      stored.length > 0 ? readStored(stored) : [],
    ])
    const all = reads.map((asked, index) => {
      const first = firstReads[index] as Read
      const found = isReference(first.type)
        ? readMemory(memory, registry, first)
        : (answers.shift() as Found)
      return first === asked ? found : relatedPage(memory, asked, found)
    })
    return all as [Found, ...Found[]]
  }
}

/** Makes the function that returns the reference data. They are loaded at first use, and later reloaded in the background. */
function createMemory(registry: Registry, load: ReadAll, options: LoadOptions) {
  const { waitUntil, patience, onStale } = options
  const types = registry.types.filter((type) => registry.get(type).snapshot)
  const reads = types.map(registry.get).map(readOfAll)
  let memory: Memory | undefined
  let loading: Promise<Memory> | undefined
  let begunAt = 0
  const loadAll = async (): Promise<Memory> => {
    const found = await load(reads)
    memory = new Map(types.map((type, index) => [type, tableOf(found[index])]))
    return memory
  }
  const forget = (): void => {
    loading = undefined
  }
  const late = (): Memory | Promise<never> =>
    memory ?? Promise.reject(new Error(`The reference data were not loaded within ${patience} ms`))
  return (): Memory | Promise<Memory> => {
    const age = Date.now() - begunAt
    // A first load may hang for ever if the request that began it has ended: https://github.com/panva/jose/issues/355
    if (memory ? age >= freshMs : !loading || age >= stalledMs) {
      begunAt = Date.now()
      loading = loadAll()
      waitUntil(loading.catch(memory ? onStale : forget))
    }
    return memory ?? withDeadline(loading as Promise<Memory>, patience, late)
  }
}

/** The read of all resources of a type with all that they have. */
function readOfAll({ type, attributes, relationships }: ResourceDefinition): Read {
  const show = {
    attributes: Object.keys(attributes),
    ownAttributes: [],
    relationships: Object.keys(relationships),
  }
  const from = { kind: 'page', filter: {}, sort: [], offset: 0, total: false } as const
  return { type, from, show, alongside: [], members: 'all', viewer: null }
}

/** The resources of a type in the order of their ids, and by their ids. */
function tableOf(found: Found | undefined) {
  const all = (found?.records ?? []).map((record): Kept => {
    const linkage = Object.entries(record.linkage).map(([name, { members }]) => {
      const { shown, more } = firstOf(members, linkageLimit)
      return [name, { members: shown, more, all: members }]
    })
    return { ...record, linkage: Object.fromEntries(linkage) }
  })
  return { all, byId: new Map(all.map((kept) => [kept.id, kept])) }
}

/** For a page of related resources, the read of the members, which may be in the database. Any other read stays as it is. */
function membersRead(read: Read): Read {
  const { from } = read
  return from.kind === 'page' && from.of
    ? { ...read, type: from.of.type, from: { ...from, ...from.of, kind: 'linkage' }, show: onlyId }
    : read
}

/** The page of related resources whose members {@link membersRead} has found. */
function relatedPage(memory: Memory, { type }: Read, { records, members, ...found }: Found): Found {
  const related = recordsOf(memory, type, members)
  return { ...found, records: related, members: [], isOrphan: records.length === 0 }
}

const nothing = { records: [], members: [], position: undefined, total: undefined, related: [] }

/** Answers a read of reference data. They are always in the order of ids: the check of declarations allows no other. */
function readMemory(memory: Memory, registry: Registry, { type, from, alongside }: Read): Found {
  const relatedTo = (records: readonly ResourceRecord[]): ResourceRecord[] =>
    alongside.flatMap(({ relationship, target }) => {
      const members = records.flatMap(({ linkage }) => linkage[relationship]?.members ?? [])
      return recordsOf(memory, target, members)
    })
  if (from.kind === 'ids') {
    const ids = from.ids.map((id) => ({ id }))
    const records = recordsOf(memory, type, ids)
    return { ...nothing, records, related: relatedTo(records) }
  }
  const isPage = from.kind === 'page'
  const owner = isPage ? undefined : memory.get(type)?.byId.get(from.id)
  const subject = isPage ? type : storedRelationship(registry.get(type), from.relationship).target
  const all: readonly Member[] = isPage
    ? (memory.get(type)?.all ?? [])
    : (owner?.linkage[from.relationship]?.all ?? [])
  const { filter, limit, after: [last] = [] } = from
  const passing = Object.entries(filter).reduce(
    (left, each) => left.filter(passes(memory, registry.get(subject), each)),
    all,
  )
  const behind = last === undefined ? passing : passing.filter(({ id }) => id > last)
  const { shown, more } = firstOf(isPage ? behind.slice(from.offset) : behind, limit)
  const position = more ? shown.slice(-1).map(({ id }) => id) : undefined
  if (isPage) {
    const records = shown as readonly Kept[]
    return { ...nothing, records, related: relatedTo(records), position, total: passing.length }
  }
  return { ...nothing, records: owner ? [owner] : [], members: shown, position }
}

/** Makes the test whether a resource, found by its id, passes a filter. */
function passes(
  memory: Memory,
  definition: ResourceDefinition,
  [field, texts]: readonly [field: string, texts: readonly string[]],
) {
  const keyIn = (value: unknown): string => textOf(filterKey(definition, field, textOf(value)))
  const wanted = new Set(texts.map(keyIn))
  const resources = memory.get(definition.type)?.byId
  return ({ id }: Member): boolean => {
    const value = field === 'id' ? id : resources?.get(id)?.attributes[field]
    return value != null && wanted.has(keyIn(value))
  }
}

/** The resources with these ids, each once. Ids that do not exist are left out. */
function recordsOf(memory: Memory, type: string, members: readonly Member[]): ResourceRecord[] {
  const ids = new Set(members.map(({ id }) => id))
  return [...ids].flatMap((id) => memory.get(type)?.byId.get(id) ?? [])
}
