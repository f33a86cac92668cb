import type { Relationship } from '../jsonapi/resource.ts'
import type {
  Found,
  JsonText,
  Link,
  Linkage,
  Read,
  ResourceRecord,
  Selection,
} from '../jsonapi/store.ts'
import type { Cipher } from './cipher.ts'
import type { Row } from './connection.ts'
import { type Extent, slots } from './read-sql.ts'
import {
  metaColumns,
  type StoredRegistry,
  storedAttribute,
  storedRelationship,
  type Tables,
} from './source.ts'

/** What a sealed value is bound to: a ciphertext moved elsewhere does not decrypt. */
export function sealContext(type: string, id: string, attribute: string): string {
  return `${type}/${id}/${attribute}`
}

/** Turns the rows of reads of one shape into what they found. */
export type RowReader = (cipher: Cipher, read: Read, rows: readonly Row[]) => Promise<Found>

/**
 * Makes the reader of a shape of read. Sealed values are opened here, and only those that were selected: nothing
 * beyond this floor sees a ciphertext. A reader throws an Error when a sealed value does not open.
 */
export function rowReader(
  registry: StoredRegistry,
  shape: Read,
  { alongside, members: most }: Extent,
): RowReader {
  const { from, type } = shape
  const own = decoder(registry, type, from.kind === 'linkage' ? nothing : shape.select, most)
  const targets = alongside.map(({ target, select }) => decoder(registry, target, select, most))
  const linkOf =
    from.kind === 'linkage'
      ? linkDecoder(storedRelationship(registry.get(type), from.relationship))
      : undefined
  return async (cipher, read, rows) => {
    const records: Mutable[] = []
    const keys: Row[] = []
    const links: Link[] = []
    const related: Mutable[] = []
    let total: number | undefined
    for (const row of rows) {
      const slot = row[0] as number
      if (slot === slots.record) {
        records.push(own.record(row))
        keys.push(row)
      } else if (slot === slots.total) {
        total = row[1] as number
      } else if (slot === slots.link && linkOf) {
        links.push(linkOf(row))
      } else {
        const target = targets[slot - slots.related]
        if (target) {
          related.push(target.record(row))
        }
      }
    }
    const limit = read.from.kind === 'ids' ? undefined : read.from.limit
    const members = linkOf ? links : records
    const more = limit !== undefined && members.length > limit
    if (more) {
      members.length = limit
    }
    const position = more ? positionOf(read, records, keys, links, own.width) : undefined
    await openSealed(cipher, own.sealed, records)
    for (const target of targets) {
      await openSealed(cipher, target.sealed, related)
    }
    return {
      records,
      links,
      more,
      position,
      total: total ?? totalIn(read, keys, own.width),
      related,
    }
  }
}

/** The total of a page behind the sort keys in each of its rows; a first page without rows is all there is. */
function totalIn({ from }: Read, [row]: readonly Row[], width: number): number | undefined {
  const isTold = from.kind === 'page' && from.total
  return isTold ? ((row?.[width + from.sort.length] as number | undefined) ?? 0) : undefined
}

/** Records are complete once sealed values are open. */
type Mutable = ResourceRecord & { readonly attributes: Record<string, unknown> }

/** Reads one kind of row. */
interface RecordDecoder {
  readonly record: (row: Row) => Mutable
  /** Where the sort keys begin. */
  readonly width: number
  readonly sealed: Sealed
}

/** The selected attributes of a type that are stored as ciphertext. */
interface Sealed {
  readonly type: string
  readonly names: readonly string[]
}

/** Of the resource that a linkage belongs to, only the id is read. */
const nothing: Selection = { attributes: [], ownAttributes: [], relationships: [] }

function decoder(
  registry: StoredRegistry,
  type: string,
  selection: Selection,
  most: number,
): RecordDecoder {
  const definition = registry.get(type)
  const names = [...selection.attributes, ...selection.ownAttributes]
  const json = names.map((name) => storedAttribute(definition, name).as === 'json')
  const relationships = selection.relationships.map((name) => ({
    name,
    decode: linkageDecoder(storedRelationship(definition, name), most),
  }))
  return {
    width: 3 + names.length + relationships.length,
    sealed: {
      type,
      names: names.filter((name) => storedAttribute(definition, name).as === 'sealed'),
    },
    record: (row) => {
      const attributes: Record<string, unknown> = {}
      const linkage: Record<string, Linkage> = {}
      let column = 3
      for (let index = 0; index < names.length; index++) {
        const value = row[column++]
        attributes[names[index] ?? ''] =
          json[index] && typeof value === 'string' ? { json: value } : value
      }
      for (const { name, decode } of relationships) {
        linkage[name] = decode(row[column++] as string | null)
      }
      return { type, id: row[1] as string, owned: row[2] === 1, attributes, linkage }
    },
  }
}

const nobody: Linkage = { links: [], more: false }

function linkageDecoder(
  relationship: Relationship<Tables>,
  most: number,
): (text: string | null) => Linkage {
  if (relationship.cardinality === 'one') {
    return (id) => (id === null ? nobody : { links: [{ id }], more: false })
  }
  const metaOf = metaDecoder(relationship)
  return (text) => {
    if (text === null) {
      return nobody
    }
    // `id,id`, or `id:meta,id:meta` where members have meta, and then all of them.
    const links: Link[] = []
    for (let start = 0, end = 0; end < text.length; start = end + 1) {
      const comma = text.indexOf(',', start)
      end = comma < 0 ? text.length : comma
      const idEnd = metaOf ? text.indexOf(':', start) : end
      const id = text.slice(start, idEnd)
      links.push(metaOf ? { id, meta: metaOf(text.slice(idEnd + 1, end).split(':')) } : { id })
    }
    const more = links.length > most
    if (more) {
      links.length = most
    }
    return { links, more }
  }
}

function linkDecoder(relationship: Relationship<Tables>): (row: Row) => Link {
  const metaOf = metaDecoder(relationship)
  return (row) => {
    const id = row[1] as string
    return metaOf ? { id, meta: metaOf(row.slice(2)) } : { id }
  }
}

/** Makes meta from the values of its members; they are enumerations, and need no escaping. */
function metaDecoder(
  relationship: Relationship<Tables>,
): ((values: readonly unknown[]) => JsonText) | undefined {
  const names =
    relationship.cardinality === 'many' ? metaColumns(relationship).map(([name]) => name) : []
  if (names.length === 0) {
    return undefined
  }
  const starts = names.map((name, index) => `${index === 0 ? '{' : '",'}"${name}":"`)
  return (values) => {
    let json = ''
    for (let index = 0; index < starts.length; index++) {
      json += `${starts[index]}${values[index]}`
    }
    return { json: `${json}"}` }
  }
}

function positionOf(
  { from }: Read,
  records: readonly ResourceRecord[],
  keys: readonly Row[],
  links: readonly Link[],
  width: number,
): readonly string[] {
  if (from.kind !== 'page') {
    return links.slice(-1).map(({ id }) => id)
  }
  const sorted = keys[records.length - 1]?.slice(width, width + from.sort.length) ?? []
  return [...sorted.map(String), ...records.slice(-1).map(({ id }) => id)]
}

async function openSealed(
  cipher: Cipher,
  { type, names }: Sealed,
  records: readonly Mutable[],
): Promise<void> {
  for (const name of names) {
    for (const { type: own, id, attributes } of records) {
      const value = attributes[name]
      if (own === type && typeof value === 'string') {
        attributes[name] = await cipher.decrypt(value, sealContext(type, id, name))
      }
    }
  }
}
