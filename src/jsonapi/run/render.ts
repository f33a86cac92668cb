import { type OperationShape, operations } from '../declare/operation.ts'
import { type Success, successOf } from '../declare/registry.ts'
import { isReadable, type Relationship, type ResourceDefinition } from '../declare/resource.ts'
import { jsonapi } from '../json.ts'
import type { PathTree } from '../request/query.ts'
import { linkageNext, pageParts } from './pagination.ts'
import type { Found, JsonText, Member, ResourceRecord } from './port.ts'
import {
  type Included,
  type Service,
  type ShownAttribute,
  seesRevision,
  showsSensitive,
  type ValidRequest,
  type View,
} from './views.ts'

// Documents are written as text: making a tree of objects first, and turning it into text, costs more than twice as much. What recurs in
// the resources of a type is spelled once. Types, ids and paths need no escaping: they hold unreserved characters of URLs only.

/** The answer of an operation, before it becomes an HTTP response. */
export interface Answer extends Success {
  readonly cacheControl: string
  /** The document, as JSON text. */
  readonly body?: string
  /** The media type of the document, if it has an extension. */
  readonly mediaType?: string
  /** The id that a create has assigned. */
  readonly createdId?: string
  /** The revision that was written, or that of the shown resource if the caller may see it. */
  readonly revision?: string | undefined
}

/** `Cache-Control` of answers that no cache may keep. */
export const noStore = 'private, no-store'

const jsonapiText = JSON.stringify(jsonapi)

/** Writes the answer to a read or a create: its document, from what was found. */
export async function answer(
  service: Service,
  request: ValidRequest,
  view: View,
  found: Found,
  included: readonly Included[] = [],
): Promise<Answer> {
  const { root } = service
  const { definition, operation, relationship = '', id = '', principal, query } = request
  const { records, members } = found
  const { on, many }: OperationShape = operations[operation]
  // The relationship whose identifiers are the primary data; undefined if resources are.
  const linkage = on === 'related' ? undefined : definition.relationships[relationship]
  let isSensitive = !linkage && records.some((record) => showsSensitive(view, record))
  const writers = new Map<View, Write<ResourceRecord>>()
  const writeIncluded: Write<Included> = (text, { record, follows }) => {
    const shown = view.included(record.type, follows)
    isSensitive ||= showsSensitive(shown, record)
    const write = writers.get(shown) ?? resourceWriter(root, shown)
    writers.set(shown, write)
    return write(text, record)
  }
  const { links, meta } = await pageParts(service, query.page, found)
  // JSON:API 1.1, "Related Resource Links".
  const related = linkage &&
    isReadable(linkage) && { related: `${pathOf(root, definition.type, id)}/${relationship}` }
  let body = `{"jsonapi":${jsonapiText},"links":${JSON.stringify({ ...links, ...related })}`
  if (meta) {
    body += `,"meta":${JSON.stringify(meta)}`
  }
  body += ',"data":'
  const write = many ? writeArray : writeFirst
  body = linkage
    ? write(body, members, identifierWriter(linkage.target))
    : write(body, records, resourceWriter(root, view))
  if (query.include) {
    body = writeArray(`${body},"included":`, included, writeIncluded)
  }
  // A page of resources has no revisions.
  const { revision, owned = false } = records[0] ?? {}
  return {
    ...successOf(request),
    cacheControl: isSensitive ? noStore : definition.cacheControl,
    body: `${body}}`,
    revision: revision && seesRevision(definition, principal, owned) ? revision : undefined,
  }
}

/**
 * Adds something to the text of a document. A document grows only at its end: V8 keeps it as a chain of its pieces, which it copies in
 * less time than a tree.
 */
type Write<Item> = (text: string, item: Item) => string

/** Adds an array. */
export function writeArray<Item>(text: string, items: readonly Item[], write: Write<Item>): string {
  let array = `${text}[`
  let isFirst = true
  for (const item of items) {
    array = write(isFirst ? array : `${array},`, item)
    isFirst = false
  }
  return `${array}]`
}

/** Adds the first item, or null if there is none. */
export function writeFirst<Item>(
  text: string,
  [item]: readonly Item[],
  write: Write<Item>,
): string {
  return item === undefined ? `${text}null` : write(text, item)
}

/** The path of a resource below the root. */
export function pathOf(root: string, type: string, id: string): string {
  return `${root}/${type}/${id}`
}

/** Makes the function that writes resource objects as a view shows them. */
export function resourceWriter(
  root: string,
  { definition, own, foreign, relationships }: View,
): Write<ResourceRecord> {
  const { start, link, relationships: writers } = typeWriter(root, definition)
  const shown = relationships.map(({ name, linkage }) => ({
    write: writers[name] as RelationshipWriter,
    linkage,
  }))
  return (before, record) => {
    const { id, owned, attributes } = record
    let text = writeAttributes(before + start + id, owned ? own : foreign, attributes)
    let separator = ',"relationships":{'
    for (const { write, linkage } of shown) {
      text = write(text + separator, record, linkage)
      separator = ','
    }
    const end = shown.length > 0 ? `${text}}` : text
    return link === undefined ? `${end}}` : `${end}${link}${id}"}}`
  }
}

/** Adds a relationship of a resource. `isVisible`: does the caller see its linkage? */
type RelationshipWriter = (text: string, record: ResourceRecord, isVisible: boolean) => string

/** The writers of resource objects by type, for all callers. Each is made once, because an isolate has one root. */
const typeWriters = new WeakMap<ResourceDefinition, ReturnType<typeof createTypeWriter>>()

function typeWriter(root: string, definition: ResourceDefinition) {
  const known = typeWriters.get(definition)
  const writer = known?.root === root ? known : createTypeWriter(root, definition)
  typeWriters.set(definition, writer)
  return writer
}

function createTypeWriter(root: string, { type, operations, relationships }: ResourceDefinition) {
  const base = pathOf(root, type, '')
  const writers = Object.entries(relationships).map(
    ([name, declared]) => [name, relationshipWriter(base, name, declared)] as const,
  )
  return {
    root,
    start: identifierStart(type),
    link: operations.get && onePiece`,"links":{"self":"${base}`,
    relationships: Object.fromEntries(writers),
  }
}

/** Makes the function that writes the members of a relationship to a type as resource identifier objects. */
function identifierWriter(type: string): Write<Member> {
  const start = identifierStart(type)
  return (text, { id, meta }) =>
    meta ? `${text}${start}${id}","meta":${meta.json}}` : `${text}${start}${id}"}`
}

/** The beginning of a resource object and of an identifier of a type, up to the id. */
function identifierStart(type: string): string {
  return onePiece`{"type":"${type}","id":"`
}

/** Adds the end of the id, and `attributes`. Those without a value are omitted. */
function writeAttributes(
  before: string,
  shown: readonly ShownAttribute[],
  attributes: ResourceRecord['attributes'],
): string {
  let text = before
  let separator = '","attributes":{"'
  for (const { name, keep, hidden } of shown) {
    const value = valueText(attributes[name], keep, hidden)
    if (value !== undefined) {
      text = `${text}${separator}${name}":${value}`
      separator = ',"'
    }
  }
  return text === before ? `${text}"` : `${text}}`
}

function valueText(value: unknown, keep: PathTree, hidden: readonly string[]): string | undefined {
  // Values are texts, numbers and booleans, or are stored as JSON text.
  if (typeof value === 'object' && value !== null) {
    const { json } = value as JsonText
    const isWhole = keep.size === 0 && hidden.length === 0
    return isWhole ? json : JSON.stringify(project(JSON.parse(json), keep, hidden))
  }
  return value === null ? undefined : JSON.stringify(value)
}

/** A value without the members that are hidden or were not asked for; undefined if nothing of it is left. */
function project(value: unknown, keep: PathTree, hidden: readonly string[]): unknown {
  if (Array.isArray(value)) {
    const items = value
      .map((item) => project(item, keep, hidden))
      .filter((item) => item !== undefined)
    return items.length > 0 ? items : undefined
  }
  if (typeof value !== 'object' || value === null) {
    return value ?? undefined
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    const part = keep.size === 0 ? keep : keep.get(name)
    const shown = part && !hidden.includes(name) ? project(member, part, []) : undefined
    return shown === undefined ? [] : [[name, shown]]
  })
  return members.length > 0 ? Object.fromEntries(members) : undefined
}

/**
 * Makes the function that writes a relationship.
 *
 * @param base the path of a resource of the type, up to its id
 */
function relationshipWriter(
  base: string,
  name: string,
  declared: Relationship,
): RelationshipWriter {
  const below = `/relationships/${name}`
  const hasRelated = isReadable(declared)
  const start = onePiece`"${name}":{"links":{"self":"${base}`
  const middle = hasRelated ? onePiece`${below}","related":"${base}` : onePiece`${below}"`
  const end = hasRelated ? `/${name}"` : ''
  const withoutData = onePiece`${end}}}`
  const beforeData = onePiece`${end}},"data":`
  const beforeNext = onePiece`${end},"next":"`
  const identifier = identifierWriter(declared.target)
  const write = declared.cardinality === 'many' ? writeArray : writeFirst
  const paging = declared.cardinality === 'many' ? declared.pagination : 'none'
  // An endpoint that does not page has no second page, so the link leads to the whole relationship.
  const nextOf = (self: string, last: Member): string =>
    paging === 'none' ? self : linkageNext(self, last.id, paging.size)
  return (before, { id, linkage }, isVisible) => {
    const text = before + start + id + middle + (hasRelated ? id : '')
    const shown = isVisible ? linkage[name] : undefined
    if (!shown) {
      return text + withoutData
    }
    const { members, more } = shown
    const last = more ? members.at(-1) : undefined
    const linked = last
      ? `${text}${beforeNext}${nextOf(base + id + below, last)}"},"data":`
      : text + beforeData
    return `${write(linked, members, identifier)}}`
  }
}

/**
 * A text in one piece, as a template literal with this function as its tag. V8 keeps a concatenated text as a tree of its pieces, and
 * walks that tree whenever a text that contains it is copied. Texts that recur in documents are made in one piece.
 */
function onePiece(strings: TemplateStringsArray, ...values: readonly string[]): string {
  return strings.flatMap((text, index) => [text, values[index] ?? '']).join('')
}
