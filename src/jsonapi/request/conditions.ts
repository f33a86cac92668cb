import { longestHeader } from './media-type.ts'

// Entity tags and conditions (RFC 9110, sections 8.8.3 and 13.1; contract, section 9).

/** The tags that a condition lists, without their quotes; `*` stands for any tag. */
export type ListedTags = '*' | readonly string[]

/**
 * Reads `If-Match` or `If-None-Match`. A weak tag (`W/`) is taken like a strong one, because a proxy that compresses an answer
 * makes its tag weak. Texts that are no tags are left out, and a header that is too long lists no tag.
 */
export function listedTags(header: string): ListedTags {
  if (header.length > longestHeader) {
    return []
  }
  return header.trim() === '*'
    ? '*'
    : header.split(',').flatMap((item) => /^\s*(?:W\/)?"([^"]*)"\s*$/.exec(item)?.[1] ?? [])
}

/** Does the condition list the tag? */
export function names(listed: ListedTags, tag: string): boolean {
  return listed === '*' || listed.includes(tag)
}

/**
 * The tag of an answer without its quotes: the revision of the resource that the answer shows, if it shows one, and a digest
 * of its bytes. The digest is empty in the tag of a write that answers without a body.
 */
export function tagOf(revision: string | undefined, digest: string): string {
  return revision === undefined ? digest : `${revision}.${digest}`
}

/** The revisions in listed tags. The tag of any view of a resource holds the revision that the view shows. */
export function revisionsOf(tags: readonly string[]): string[] {
  const revisions = tags.flatMap((tag) => /^([^.]+)\./.exec(tag)?.[1] ?? [])
  return [...new Set(revisions)]
}
