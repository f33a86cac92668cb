import { type Abortable, follow, type LinkedDocument } from './follow.js'
import type { Client } from './generated/client/index.js'

/** A document of many resources, or of many members of a relationship. */
type Page = Extract<LinkedDocument, { readonly links: { readonly next: string | null } }>

/**
 * Reads page after page, by following `links.next`.
 *
 * @param first the page to begin with, which comes first
 * @throws ServiceError if a page is refused, and the signal's reason if it aborts
 */
export async function* pages<One extends Page>(
  client: Client,
  first: One,
  options: Abortable = {},
): AsyncGenerator<One, void, undefined> {
  for (let page = first; ; ) {
    yield page
    const { next } = page.links
    if (!next) {
      return
    }
    page = await follow<One>(client, next, options)
  }
}
