import type { OperationOf } from '../declare/endpoint.ts'
import { isRelated, type Operation } from '../declare/operation.ts'
import { isReadable } from '../declare/resource.ts'
import type { Links } from '../document.ts'
import type { FieldTree } from '../request/fields.ts'
import { linkageNext } from './pagination.ts'
import { type Found, isJsonText, type Member, type ResourceRecord } from './store.ts'
import type { ShownAttribute, ShownRelationship, View } from './view.ts'

// Documents are written as text: making a tree of objects first, and turning it into text, takes more than twice as long. A renderer
// is made for each view of a document, and spells what recurs in its resources once. Types, ids and paths need no escaping: they hold
// unreserved characters of URLs only.

/** What a document answers: an operation on a type or a relationship, with the id in its path. */
interface Answered extends OperationOf {
  readonly id: string | undefined
}

/** The relationship whose identifiers a request reads; undefined where it reads resources. */
export function linkageOf({ operation, relationship }: Answered): string | undefined {
  return isRelated(operation) ? undefined : relationship
}

/** The link `related` of a document of identifiers (JSON:API 1.1, "Related Resource Links"); none for other documents. */
export function relatedLink(root: string, answered: Answered): Links {
  const { definition, id = '' } = answered
  const name = linkageOf(answered)
  const relationship = definition.relationships[name ?? '']
  return relationship && isReadable(relationship)
    ? { related: `${pathOf(root, definition.type, id)}/${name}` }
    : {}
}

/** The operations that answer with an array. */
const ofMany: ReadonlySet<Operation> = new Set(['list', 'readMany', 'relatedMany'])

/** The text of `data` of a document: an array of resources or identifiers, a single one, or null (contract, section 8). */
export function dataText(
  root: string,
  answered: Answered,
  view: View,
  { records, members }: Found,
): string {
  const text = ofMany.has(answered.operation) ? arrayText : firstText
  const linkage = answered.definition.relationships[linkageOf(answered) ?? '']
  return linkage
    ? text(members, identifierRenderer(linkage.target))
    : text(records, resourceRenderer(root, view))
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
export type Renderer = (record: ResourceRecord) => string

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
  const isMany = declared.cardinality === 'many'
  const identifier = identifierRenderer(declared.target)
  // An endpoint that does not page has no second page, so that the link leads to the whole relationship.
  const paging = isMany ? declared.pagination : 'none'
  const nextOf = (self: string, last: Member): string =>
    paging === 'none' ? self : linkageNext(self, last.id, paging.size)
  return ({ id, linkage }) => {
    const links = start + id + middle + (hasRelated ? id : '') + end
    const shown = isVisible ? linkage[name] : undefined
    if (!shown) {
      return `${links}}}`
    }
    const { members, more } = shown
    const last = isMany && more ? members.at(-1) : undefined
    const next = last ? `,"next":"${nextOf(base + id + below, last)}"` : ''
    const data = isMany ? arrayText(members, identifier) : firstText(members, identifier)
    return `${links}${next}},"data":${data}}`
  }
}
