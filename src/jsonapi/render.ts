import type { RelationshipObject, ResourceIdentifier, ResourceObject } from './document.ts'
import type { FieldTree } from './fields.ts'
import { linkageNext } from './pagination.ts'
import { scopeOf } from './query.ts'
import type { ResourceDefinition } from './resource.ts'
import type { Link, Linkage, ResourceRecord } from './store.ts'
import type { ShownAttribute, ShownRelationship, View } from './view.ts'

/** The path of a resource below the root. */
export function pathOf(root: string, type: string, id: string): string {
  return `${root}/${type}/${id}`
}

/** A linkage member as a document shows it. */
export function identifier(type: string, { id, meta }: Link): ResourceIdentifier {
  return meta ? { type, id, meta } : { type, id }
}

/** A resource as one caller sees it. Attributes without a value are omitted (contract, section 8). */
export function resourceObject(
  root: string,
  definition: ResourceDefinition,
  view: View,
  record: ResourceRecord,
): ResourceObject {
  const { type, id } = record
  const path = pathOf(root, type, id)
  const attributes = visibleAttributes(record.owned ? view.own : view.foreign, record)
  const relationships: Record<string, RelationshipObject> = {}
  for (const shown of view.relationships) {
    relationships[shown.name] = relationshipObject(path, shown, record.linkage[shown.name])
  }
  return {
    type,
    id,
    ...(attributes && { attributes }),
    ...(view.relationships.length > 0 && { relationships }),
    ...(definition.operations.get && { links: { self: path } }),
  }
}

/** Does the caller see a sensitive value on the resource? Then no cache may keep the answer. */
export function showsSensitive(view: View, record: ResourceRecord): boolean {
  return (record.owned ? view.own : view.foreign).some(
    ({ name, sensitive }) => sensitive && record.attributes[name] != null,
  )
}

function visibleAttributes(
  shown: readonly ShownAttribute[],
  record: ResourceRecord,
): Record<string, unknown> | undefined {
  let attributes: Record<string, unknown> | undefined
  for (const { name, keep, hidden } of shown) {
    const stored = record.attributes[name]
    const value =
      keep === 'all' && hidden.size === 0 && typeof stored !== 'object'
        ? stored
        : project(stored, keep, hidden)
    if (value !== undefined) {
      attributes ??= {}
      attributes[name] = value
    }
  }
  return attributes
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

function relationshipObject(
  resourcePath: string,
  { name, relationship, linkage: visible }: ShownRelationship,
  linkage: Linkage | undefined,
): RelationshipObject {
  const self = `${resourcePath}/relationships/${name}`
  if (!visible || !linkage) {
    return { links: { self } }
  }
  const data = linkage.links.map((link) => identifier(relationship.target, link))
  if (relationship.cardinality === 'one') {
    return { links: { self }, data: data[0] ?? null }
  }
  const last = data.at(-1)
  if (!linkage.more || !last) {
    return { links: { self }, data }
  }
  // Where the endpoint does not page, what follows the first members is the whole.
  const isPaged = relationship.pagination === 'cursor'
  const next = isPaged ? linkageNext(self, scopeOf(self, [], {}), last.id) : self
  return { links: { self, next }, data }
}
