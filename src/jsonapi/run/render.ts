import { putBounded } from '../../lib/bounded-map.ts'
import { onePiece } from '../../lib/one-piece.ts'
import { isReadable, type Relationship, type ResourceDefinition } from '../declare/resource.ts'
import type { FieldTree } from '../request/fields.ts'
import { scopeOf } from '../request/query.ts'
import { linkageNext } from './pagination.ts'
import { isJsonText, type Member, type ResourceRecord } from './store.ts'
import type { ShownAttribute, ShownRelationship, View } from './view.ts'

// Documents are written as text. Making a tree of objects first, and turning it into text, would be most of the work of an
// answer. Joining texts costs time, too, so that a renderer spells the recurring parts once, each as one piece. Types, ids and
// paths need no escaping: they hold unreserved characters of URLs only.

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

/** Writes a resource object for callers who have the same view. */
export type Renderer = (record: ResourceRecord) => string

/** The renderers of one root path, by view and by what a view shows of a type. */
interface Renderers {
  readonly byView: WeakMap<View, Renderer>
  readonly byType: WeakMap<ResourceDefinition, Map<string, Renderer>>
}

const renderers = new Map<string, Renderers>()

function renderersOf(root: string): Renderers {
  const known = renderers.get(root)
  if (known) {
    return known
  }
  const made = { byView: new WeakMap(), byType: new WeakMap() }
  renderers.set(root, made)
  return made
}

/** The most renderers that are remembered for a type. Fieldsets make many combinations, so that the oldest are dropped. */
const mostRenderers = 100

/** The renderer of a view. Views that show the same fields share a renderer. */
export function compileRenderer(root: string, view: View): Renderer {
  const known = renderersOf(root)
  const ofView = known.byView.get(view)
  if (ofView) {
    return ofView
  }
  const ofType = known.byType.get(view.definition) ?? new Map<string, Renderer>()
  known.byType.set(view.definition, ofType)
  const shown = textOfView(view)
  const same = ofType.get(shown)
  const renderer = same ?? remembering(makeRenderer(root, view))
  if (!same) {
    putBounded(ofType, shown, renderer, mostRenderers)
  }
  known.byView.set(view, renderer)
  return renderer
}

/** A text that names everything that a view shows of its type. */
function textOfView({ own, foreign, relationships }: View): string {
  const plain = (keep: FieldTree | 'all'): unknown =>
    keep === 'all' ? keep : [...keep].map(([name, members]) => [name, plain(members)])
  const attribute = ({ name, keep, hidden }: ShownAttribute) => [name, plain(keep), [...hidden]]
  return JSON.stringify([own.map(attribute), foreign.map(attribute), relationships])
}

/** The most renderers for which a resource in memory remembers its text. */
const mostTexts = 8

const texts = new WeakMap<ResourceRecord, Map<Renderer, string>>()

/** A renderer that remembers the texts of resources that stay in memory. A text is the same for all callers with the view. */
function remembering(write: Renderer): Renderer {
  return (record) => {
    if (!record.lasting) {
      return write(record)
    }
    const known = texts.get(record) ?? new Map<Renderer, string>()
    const text = known.get(write)
    if (text !== undefined) {
      return text
    }
    const written = onePiece(write(record))
    putBounded(known, write, written, mostTexts)
    texts.set(record, known)
    return written
  }
}

/** Makes the renderer of a view. It omits attributes without a value (contract, section 8). */
function makeRenderer(root: string, { definition, own, foreign, relationships }: View): Renderer {
  const start = identifierStart(definition.type)
  const base = pathOf(root, definition.type, '')
  const hasItem = definition.operations.get !== undefined
  const ownAttributes = attributesRenderer(own)
  const foreignAttributes = attributesRenderer(foreign)
  const parts: Renderer[] = []
  for (const shown of relationships) {
    const relationship = definition.relationships[shown.name]
    if (relationship) {
      const separator = parts.length === 0 ? ',"relationships":{' : ','
      parts.push(relationshipRenderer(`${separator}"${shown.name}":`, base, shown, relationship))
    }
  }
  const end = parts.length > 0 ? '}' : ''
  const beforeLink = onePiece(`${end},"links":{"self":"${base}`)
  const withoutLink = `${end}}`
  return (record) => {
    const { id } = record
    const attributes = (record.owned ? ownAttributes : foreignAttributes)(record)
    let text = start + id + (attributes === '' ? '"' : `","attributes":{${attributes}}`)
    for (const part of parts) {
      text += part(record)
    }
    return hasItem ? `${text}${beforeLink}${id}"}}` : text + withoutLink
  }
}

type MemberRenderer = (member: Member) => string

const memberRenderers = new Map<string, MemberRenderer>()

/** Gives the function that writes a member of a relationship as a resource identifier object. `type`: the type of the members. */
export function memberRenderer(type: string): MemberRenderer {
  const known = memberRenderers.get(type)
  if (known) {
    return known
  }
  const start = identifierStart(type)
  const made: MemberRenderer = ({ id, meta }) =>
    meta ? `${start}${id}","meta":${meta.json}}` : `${start}${id}"}`
  memberRenderers.set(type, made)
  return made
}

/** The beginning of a resource object and of an identifier of a type, up to the id. */
function identifierStart(type: string): string {
  return onePiece(`{"type":"${type}","id":"`)
}

function attributesRenderer(shown: readonly ShownAttribute[]): Renderer {
  const keyed = shown.map((each) => {
    const first = onePiece(`"${each.name}":`)
    return { ...each, first, further: onePiece(`,${first}`) }
  })
  return ({ attributes }) => {
    let text = ''
    for (const { name, first, further, keep, hidden } of keyed) {
      const value = valueText(attributes[name], keep, hidden)
      if (value !== undefined) {
        text += (text === '' ? first : further) + value
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
 * Gives the function that writes a relationship.
 *
 * @param beginning its name, and what separates it from the member before
 * @param base the path of a resource of the type, up to its id
 */
function relationshipRenderer(
  beginning: string,
  base: string,
  { name, linkage: isVisible }: ShownRelationship,
  relationship: Relationship,
): Renderer {
  const below = `/relationships/${name}`
  const start = onePiece(`${beginning}{"links":{"self":"${base}`)
  const hasRelated = isReadable(relationship)
  const middle = onePiece(hasRelated ? `${below}","related":"${base}` : `${below}"`)
  const end = hasRelated ? `/${name}"` : ''
  const linksOnly = onePiece(`${end}}}`)
  const beforeData = onePiece(`${end}},"data":`)
  const beforeNext = onePiece(`${end},"next":"`)
  const member = memberRenderer(relationship.target)
  // An endpoint that does not page has no second page, so that the link leads to the whole relationship.
  const paging = relationship.cardinality === 'many' ? relationship.pagination : 'none'
  const nextOf = (self: string, last: Member): string =>
    paging === 'none' ? self : linkageNext(self, scopeOf(self, [], {}), last.id, paging.size)
  return ({ id, linkage }) => {
    const links = start + id + middle + (hasRelated ? id : '')
    const shown = isVisible ? linkage[name] : undefined
    if (!shown) {
      return links + linksOnly
    }
    const { members, more } = shown
    if (relationship.cardinality === 'one') {
      return `${links}${beforeData}${firstText(members, member)}}`
    }
    const data = arrayText(members, member)
    const last = more ? members.at(-1) : undefined
    return last
      ? `${links}${beforeNext}${nextOf(base + id + below, last)}"},"data":${data}}`
      : `${links}${beforeData}${data}}`
  }
}
