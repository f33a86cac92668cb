import type { Operation } from '../declare/operation.ts'
import { type Success, successOf } from '../declare/registry.ts'
import { isReadable } from '../declare/resource.ts'
import { jsonapi } from '../document.ts'
import type { FieldTree } from '../request/fields.ts'
import type { QuerySpec } from '../request/query.ts'
import { linkageNext, pageParts } from './pagination.ts'
import type { Graph, Included, Reading, Request, Service } from './plan.ts'
import type { JsonText, Member, ResourceRecord } from './store.ts'
import {
  type ShownAttribute,
  type ShownRelationship,
  seesRevision,
  showsSensitive,
  type View,
} from './view.ts'

// Documents are written as text: making a tree of objects first, and turning it into text, takes more than twice as long. A renderer
// is made for each view of a document, and spells what recurs in its resources once. Types, ids and paths need no escaping: they hold
// unreserved characters of URLs only.

/** The answer of an operation, before it becomes an HTTP response. */
export interface Answer extends Success {
  readonly cacheControl: string
  /** The document, as JSON text. */
  readonly body?: string
  /** The media type of the document, where it has an extension. */
  readonly mediaType?: string
  /** The id that a create has assigned. */
  readonly createdId?: string
  /** The revision of the resource that the answer shows, where its caller may be told it, or that was written (contract, section 9). */
  readonly revision?: string | undefined
}

/** `Cache-Control` of answers that no cache may keep. */
export const noStore = 'private, no-store'

/** The operations that answer with an array. */
const ofMany: ReadonlySet<Operation> = new Set(['list', 'readMany', 'relatedMany'])

const jsonapiText = JSON.stringify(jsonapi)

/** Writes the answer to a read or a create: its document, from what was found and the cursor of the next page (contract, section 8). */
export function answer(
  { root, mostOffset }: Pick<Service, 'root' | 'mostOffset'>,
  request: Request<Operation>,
  spec: QuerySpec,
  { read: { from }, view, includedView }: Reading,
  { found, included, nextCursor }: Graph & { readonly nextCursor?: string | undefined },
): Answer {
  const { definition, operation, relationship, id = '', path, search, principal } = request
  const { records, members } = found
  // The relationship whose identifiers are the primary data; undefined where resources are.
  const linkage = from.kind === 'linkage' ? definition.relationships[from.relationship] : undefined
  const text = ofMany.has(operation) ? arrayText : firstText
  const data = linkage
    ? text(members, identifierRenderer(linkage.target))
    : text(records, resourceRenderer(root, view))
  let isSensitive = !linkage && records.some((record) => showsSensitive(view, record))
  const renderers = new Map<View, Renderer>()
  const includedText = ({ record, follows }: Included): string => {
    const view = includedView(record.type, follows)
    isSensitive ||= showsSensitive(view, record)
    const render = renderers.get(view) ?? resourceRenderer(root, view)
    renderers.set(view, render)
    return render(record)
  }
  const { links, meta } = pageParts({ path, search, mostOffset }, spec.page, found, nextCursor)
  // JSON:API 1.1, "Related Resource Links".
  const related = linkage &&
    isReadable(linkage) && { related: `${pathOf(root, definition.type, id)}/${relationship}` }
  let body = `{"jsonapi":${jsonapiText},"links":${JSON.stringify({ ...links, ...related })}`
  if (meta) {
    body += `,"meta":${JSON.stringify(meta)}`
  }
  body += `,"data":${data}`
  if (spec.include) {
    body += `,"included":${arrayText(included, includedText)}`
  }
  // Only an answer that shows one resource, or the identifiers of one of its relationships, has that resource's revision.
  const [shown] = from.kind === 'page' ? [] : records
  const isRevisionTold = shown && seesRevision(definition, principal, shown.owned)
  return {
    ...successOf(request),
    cacheControl: isSensitive ? noStore : definition.cacheControl,
    body: `${body}}`,
    revision: isRevisionTold ? shown.revision : undefined,
  }
}

/** The text of an array from the text of each item. Texts that are concatenated, not joined, are copied once, at the end. */
export function arrayText<Item>(items: readonly Item[], text: (item: Item) => string): string {
  let array = '['
  let comma = ''
  for (const item of items) {
    array += comma + text(item)
    comma = ','
  }
  return `${array}]`
}

/** The text of the first item, or null where there is none. */
export function firstText<Item>([item]: readonly Item[], text: (item: Item) => string): string {
  return item === undefined ? 'null' : text(item)
}

/** The path of a resource below the root. */
export function pathOf(root: string, type: string, id: string): string {
  return `${root}/${type}/${id}`
}

/** Writes a resource, or a part of it. */
type Renderer = (record: ResourceRecord) => string

/** Makes the function that writes resource objects as a view shows them (contract, section 8). */
export function resourceRenderer(
  root: string,
  { definition, own, foreign, relationships }: View,
): Renderer {
  const start = identifierStart(definition.type)
  const base = pathOf(root, definition.type, '')
  const ownAttributes = attributesRenderer(own)
  const foreignAttributes = attributesRenderer(foreign)
  const parts = relationships.map((shown, index) =>
    relationshipRenderer(index === 0 ? ',"relationships":{' : ',', base, shown),
  )
  const end = parts.length > 0 ? '}' : ''
  const beforeLink = `${end},"links":{"self":"${base}`
  const hasItem = definition.operations.get !== undefined
  return (record) => {
    const { id, owned } = record
    const attributes = (owned ? ownAttributes : foreignAttributes)(record)
    let text = start + id + (attributes === '' ? '"' : `","attributes":{${attributes}}`)
    for (const part of parts) {
      text += part(record)
    }
    return hasItem ? `${text}${beforeLink}${id}"}}` : `${text}${end}}`
  }
}

/** Makes the function that writes the members of a relationship to a type as resource identifier objects. */
function identifierRenderer(type: string): (member: Member) => string {
  const start = identifierStart(type)
  return ({ id, meta }) => (meta ? `${start}${id}","meta":${meta.json}}` : `${start}${id}"}`)
}

/** The beginning of a resource object and of an identifier of a type, up to the id. */
function identifierStart(type: string): string {
  return `{"type":"${type}","id":"`
}

/** Makes the function that writes the members of `attributes`. Those without a value are omitted. */
function attributesRenderer(shown: readonly ShownAttribute[]): Renderer {
  return ({ attributes }) => {
    let text = ''
    for (const { name, keep, hidden } of shown) {
      const value = valueText(attributes[name], keep, hidden)
      if (value !== undefined) {
        text += `${text === '' ? '"' : ',"'}${name}":${value}`
      }
    }
    return text
  }
}

/** Is the value of an attribute JSON text? Other values are strings, numbers and booleans. */
function isJsonText(value: unknown): value is JsonText {
  return typeof value === 'object' && value !== null
}

function valueText(
  value: unknown,
  keep: FieldTree | 'all',
  hidden: ReadonlySet<string>,
): string | undefined {
  if (isJsonText(value)) {
    const isWhole = keep === 'all' && hidden.size === 0
    return isWhole ? value.json : JSON.stringify(project(JSON.parse(value.json), keep, hidden))
  }
  return value === null ? undefined : JSON.stringify(value)
}

/** A value without the members that are hidden or were not asked for; undefined when nothing of it is left. */
function project(value: unknown, keep: FieldTree | 'all', hidden: ReadonlySet<string>): unknown {
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
    const part = keep === 'all' ? keep : keep.get(name)
    const shown = part && !hidden.has(name) ? project(member, part, new Set()) : undefined
    return shown === undefined ? [] : [[name, shown]]
  })
  return members.length > 0 ? Object.fromEntries(members) : undefined
}

/**
 * Makes the function that writes a relationship.
 *
 * @param before what stands before its name
 * @param base the path of a resource of the type, up to its id
 */
function relationshipRenderer(
  before: string,
  base: string,
  { name, declared, linkage: isVisible }: ShownRelationship,
): Renderer {
  const below = `/relationships/${name}`
  const start = `${before}"${name}":{"links":{"self":"${base}`
  const hasRelated = isReadable(declared)
  const middle = hasRelated ? `${below}","related":"${base}` : `${below}"`
  const end = hasRelated ? `/${name}"` : ''
  const identifier = identifierRenderer(declared.target)
  const paging = declared.cardinality === 'many' ? declared.pagination : 'none'
  // An endpoint that does not page has no second page, so that the link leads to the whole relationship.
  const nextOf = (self: string, last: Member): string =>
    paging === 'none' ? self : linkageNext(self, last.id, paging.size)
  return ({ id, linkage }) => {
    const links = start + id + middle + (hasRelated ? id : '') + end
    const shown = isVisible ? linkage[name] : undefined
    if (!shown) {
      return `${links}}}`
    }
    const { members, more } = shown
    if (declared.cardinality === 'one') {
      return `${links}},"data":${firstText(members, identifier)}}`
    }
    const last = more ? members.at(-1) : undefined
    const next = last ? `,"next":"${nextOf(base + id + below, last)}"` : ''
    return `${links}${next}},"data":${arrayText(members, identifier)}}`
  }
}
