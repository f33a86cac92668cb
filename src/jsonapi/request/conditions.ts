import { longestHeader } from './media-type.ts'

// Entity tags and the conditions that name them (RFC 9110, sections 8.8.3 and 13.1; contract, section 9).

/** What a condition lists: tags without their quotes; `*` stands for any. */
export type ListedTags = '*' | readonly string[]

/**
 * Reads `If-Match` or `If-None-Match`. A tag with `W/` before it is taken like one without: a proxy that compresses an
 * answer marks its tag as weak. What is no tag, and all of a header that is too long, matches nothing.
 */
export function listedTags(header: string): ListedTags {
  if (header.length > longestHeader) {
    return []
  }
  return header.trim() === '*'
    ? '*'
    : header.split(',').flatMap((item) => /^\s*(?:W\/)?"([^"]*)"\s*$/.exec(item)?.[1] ?? [])
}

/** Does a condition name the tag? */
export function names(listed: ListedTags, tag: string): boolean {
  return listed === '*' || listed.includes(tag)
}

/**
 * The tag of an answer: a digest of its bytes, behind the revision of the resource that it is a view of, if it is of one.
 * The tag of a resource without its bytes, which a write answers with, has no digest.
 */
export function tagOf(revision: string | undefined, digest: string): string {
  return revision === undefined ? digest : `${revision}.${digest}`
}

/** The revisions that listed tags name: the tag of any view of a resource names the one that was shown. */
export function revisionsOf(tags: readonly string[]): string[] {
  const revisions = tags.flatMap((tag) => /^([^.]+)\./.exec(tag)?.[1] ?? [])
  return [...new Set(revisions)]
}
