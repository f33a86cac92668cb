import { type OperationShape, operations } from '../declare/operation.ts'
import { type Success, successOf } from '../declare/registry.ts'
import { isReadable, type Relationship } from '../declare/resource.ts'
import { jsonapi } from '../json.ts'
import type { PathTree } from '../request/query.ts'
import { linkageNext, pageParts } from './pagination.ts'
import type { Found, Linkage, Member, ResourceRecord } from './port.ts'
import {
  type Included,
  type Service,
  type ShownAttribute,
  seesRevision,
  showsSensitive,
  type ValidRequest,
  type View,
} from './views.ts'

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

/** Makes the answer to a read or a create: its document, from what was found. */
export async function answer(
  service: Service,
  request: ValidRequest,
  view: View,
  found: Found,
  included: readonly Included[] = [],
): Promise<Answer> {
  const { root } = service
  const { definition, operation, principal, query } = request
  const { records, members } = found
  const { on, many }: OperationShape = operations[operation]
  // The relationship whose identifiers are the primary data; undefined if resources are.
  const linkage = on === 'related' ? undefined : request.declared
  const shown = included.map(({ record, follows }) => ({
    view: view.included(record.type, follows),
    record,
  }))
  const isSensitive =
    (!linkage && records.some((record) => showsSensitive(view, record))) ||
    shown.some(({ view, record }) => showsSensitive(view, record))
  const { links, meta } = await pageParts(service, query.page, found)
  // JSON:API 1.1, "Related Resource Links".
  const related = request.declared &&
    linkage &&
    isReadable(linkage) && {
      related: `${pathOf(root, definition.type, request.id)}/${request.relationship}`,
    }
  const data = linkage
    ? members.map((member) => identifierObject(linkage.target, member))
    : records.map((record) => resourceObject(root, view, record))
  // `JSON.stringify` omits members that are undefined.
  const document = {
    jsonapi,
    links: { ...links, ...related },
    meta,
    data: many ? data : (data[0] ?? null),
    included: query.include && shown.map(({ view, record }) => resourceObject(root, view, record)),
  }
  // A page of resources has no revisions.
  const { revision, owned = false } = records[0] ?? {}
  return {
    ...successOf(request),
    cacheControl: isSensitive ? noStore : definition.cacheControl,
    body: JSON.stringify(document),
    revision: revision && seesRevision(definition, principal, owned) ? revision : undefined,
  }
}

/** The path of a resource below the root. */
export function pathOf(root: string, type: string, id: string): string {
  return [root, type, id].join('/')
}

/** The resource object of a record, as a view shows it (JSON:API 1.1, "Resource Objects"). */
export function resourceObject(
  root: string,
  { definition, own, foreign, relationships }: View,
  { id, owned, attributes, linkage }: ResourceRecord,
): object {
  const { type, operations } = definition
  const self = pathOf(root, type, id)
  const shown: Record<string, object> = {}
  for (const { name, linkage: isVisible } of relationships) {
    const declared = definition.relationships[name] as Relationship
    shown[name] = relationshipObject(self, name, declared, isVisible ? linkage[name] : undefined)
  }
  return {
    type,
    id,
    attributes: attributesObject(owned ? own : foreign, attributes),
    relationships: relationships.length > 0 ? shown : undefined,
    links: operations.get && { self },
  }
}

/** A member of a relationship (JSON:API 1.1, "Resource Identifier Objects"). */
function identifierObject(type: string, { id, meta }: Member) {
  return { type, id, meta }
}

/** The attributes that have a value; undefined if none has. */
function attributesObject(
  shown: readonly ShownAttribute[],
  attributes: ResourceRecord['attributes'],
): Record<string, unknown> | undefined {
  const object: Record<string, unknown> = {}
  for (const { name, keep, hidden } of shown) {
    const isWhole = keep.size === 0 && hidden.length === 0
    const value = isWhole ? attributes[name] : project(attributes[name], keep, hidden)
    if (value != null) {
      object[name] = value
    }
  }
  return Object.keys(object).length > 0 ? object : undefined
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

/** The relationship object of a resource (JSON:API 1.1, "Resource Objects"), with its linkage if that is shown. */
function relationshipObject(
  resource: string,
  name: string,
  declared: Relationship,
  linkage: Linkage | undefined,
): object {
  const self = [resource, 'relationships', name].join('/')
  const related = isReadable(declared) ? [resource, name].join('/') : undefined
  if (!linkage) {
    return { links: { self, related } }
  }
  const identifiers = linkage.members.map((member) => identifierObject(declared.target, member))
  const last = linkage.more ? linkage.members.at(-1) : undefined
  const paging = declared.cardinality === 'many' ? declared.pagination : 'none'
  // An endpoint that does not page has no second page, so the link leads to the whole relationship.
  const next = last && (paging === 'none' ? self : linkageNext(self, last.id, paging.size))
  const data = declared.cardinality === 'many' ? identifiers : (identifiers[0] ?? null)
  return { links: { self, related, next }, data }
}
