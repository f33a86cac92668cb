import type { Document, Identifier, Resource } from './documents.ts'

/** What identifies a resource in a document. */
export function keyOf({ type, id }: Identifier): string {
  return `${type}/${id}`
}

/** Whatever stands in `data`, as a list. */
export function listOf<Item>(data: Item | readonly Item[] | null | undefined): readonly Item[] {
  return Array.isArray(data) ? data : data === null || data === undefined ? [] : [data as Item]
}

/** The identifiers in a resource's relationships. */
function linksOf({ relationships = {} }: Resource): readonly Identifier[] {
  return Object.values(relationships).flatMap(({ data }) => listOf<Identifier>(data))
}

/** The resources of a compound document that occur more than once in it. */
export function repeated({ data, included = [] }: Document): readonly string[] {
  const primary = listOf<Resource>(data).filter((item) => !isIdentifier(item))
  const keys = [...primary, ...included].map(keyOf)
  return keys.filter((key, index) => keys.indexOf(key) !== index)
}

/** The included resources that no chain of linkage from the primary data leads to (JSON:API 1.1, "full linkage"). */
export function unlinked({ data, included = [] }: Document): readonly string[] {
  const resources = new Map(included.map((resource) => [keyOf(resource), resource]))
  const primary = listOf<Resource>(data)
  const reached = new Set<string>()
  const queue = primary.flatMap((item) => (item.relationships ? linksOf(item) : [item])).map(keyOf)
  for (const key of queue) {
    const resource = resources.get(key)
    if (resource && !reached.has(key)) {
      reached.add(key)
      queue.push(...linksOf(resource).map(keyOf))
    }
  }
  return [...resources.keys()].filter((key) => !reached.has(key))
}

/** Relationship documents hold identifiers as their data, which are no resources. */
function isIdentifier(item: Resource): boolean {
  return Object.keys(item).every((name) => name === 'type' || name === 'id' || name === 'meta')
}
