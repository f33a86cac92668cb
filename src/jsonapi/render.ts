import type { FieldTree } from './fields.ts'
import { linkageNext } from './pagination.ts'
import { scopeOf } from './query.ts'
import { isJsonText, type Link, type Linkage, type ResourceRecord } from './store.ts'
import type { ShownAttribute, ShownRelationship, View } from './view.ts'

// Documents are written as text at once: a tree of objects, made only to be turned into text, is most of the
// work of an answer. Each text put together from others costs time, so that what recurs is spelled once, in a view.
// Types, ids and paths need no escaping: they hold unreserved characters of URLs only.

/** An array: what is written for each item. Concatenated, not joined, texts are copied once, at the end. */
export function arrayText<Item>(items: readonly Item[], text: (item: Item) => string): string {
  let array = '['
  let comma = ''
  for (const item of items) {
    array += comma + text(item)
    comma = ','
  }
  return `${array}]`
}

/** What is written for the only item there can be, or null. */
export function firstText<Item>([item]: readonly Item[], text: (item: Item) => string): string {
  return item === undefined ? 'null' : text(item)
}

/** The path of a resource below the root. */
export function pathOf(root: string, type: string, id: string): string {
  return `${root}/${type}/${id}`
}

/** A resource object as one caller sees it. Attributes without a value are omitted (contract, section 8). */
export function resourceText(root: string, view: View, record: ResourceRecord): string {
  return record.lasting ? keptText(root, view, record) : freshText(root, view, record)
}

/**
 * A member of a relationship as a document shows it: a resource identifier object.
 *
 * @param start its text up to the id, see {@link identifierStart}
 */
export function identifierText(start: string, { id, meta }: Link): string {
  return meta ? `${start}${id}","meta":${meta.json}}` : `${start}${id}"}`
}

/** Does the caller see a sensitive value on the resource? Then no cache may keep the answer. */
export function showsSensitive(view: View, record: ResourceRecord): boolean {
  return (record.owned ? view.own : view.foreign).some(
    ({ name, sensitive }) => sensitive && record.attributes[name] != null,
  )
}

/** Views that a kept resource remembers its text for. */
const mostViews = 8

const texts = new WeakMap<ResourceRecord, Map<string, string>>()

/** The text of a resource that stays in memory: the same for everybody who sees the same of it. */
function keptText(root: string, view: View, record: ResourceRecord): string {
  const known = texts.get(record)?.get(view.signature)
  if (known !== undefined) {
    return known
  }
  const text = freshText(root, view, record)
  const own = texts.get(record) ?? new Map<string, string>()
  if (own.size >= mostViews) {
    own.clear()
  }
  texts.set(record, own.set(view.signature, text))
  return text
}

function freshText(root: string, view: View, record: ResourceRecord): string {
  const { type, id } = record
  const path = pathOf(root, type, id)
  let text = view.start + id
  const attributes = attributesText(record.owned ? view.own : view.foreign, record)
  text += attributes === '' ? '"' : `","attributes":{${attributes}}`
  if (view.relationships.length > 0) {
    let start = ',"relationships":{'
    for (const shown of view.relationships) {
      text += start + relationshipText(path, shown, record.linkage[shown.name])
      start = ','
    }
    text += '}'
  }
  return view.hasItem ? `${text},"links":{"self":"${path}"}}` : `${text}}`
}

function attributesText(shown: readonly ShownAttribute[], record: ResourceRecord): string {
  let text = ''
  for (const { name, key, keep, hidden } of shown) {
    const value = valueText(record.attributes[name], keep, hidden)
    if (value !== undefined) {
      text += (text === '' ? key : `,${key}`) + value
    }
  }
  return text
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

/** A value without the members that are hidden or not asked for; undefined when nothing is left of it. */
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
    const kept = keep === 'all' ? keep : keep.get(name)
    const shown = kept && !hidden.has(name) ? project(member, kept, new Set()) : undefined
    return shown === undefined ? [] : [[name, shown]]
  })
  return members.length > 0 ? Object.fromEntries(members) : undefined
}

function relationshipText(
  resourcePath: string,
  { relationship, spelling, linkage: visible }: ShownRelationship,
  linkage: Linkage | undefined,
): string {
  const self = resourcePath + spelling.path
  const text = `${spelling.before}${self}"`
  if (!visible || !linkage) {
    return `${text}}}`
  }
  const { links, more } = linkage
  const member = (link: Link): string => identifierText(spelling.member, link)
  if (relationship.cardinality === 'one') {
    return `${text}},"data":${firstText(links, member)}}`
  }
  const data = arrayText(links, member)
  const last = links.at(-1)
  if (!more || !last) {
    return `${text}},"data":${data}}`
  }
  // Where the endpoint does not page, what follows the first members is the whole.
  const isPaged = relationship.pagination === 'cursor'
  const next = isPaged ? linkageNext(self, scopeOf(self, [], {}), last.id) : self
  return `${text},"next":"${next}"},"data":${data}}`
}
