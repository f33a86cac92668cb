import type { Client } from './generated/client/index.js'

/** A document of many resources, or of many members of a relationship. */
interface Page {
  readonly links: { readonly next?: string | null }
}

/**
 * Reads page after page, by following `links.next`.
 *
 * @param first the page to begin with, which comes first
 * @throws ServiceError where a page is refused
 */
export async function* pages<One extends Page>(
  client: Client,
  first: One,
): AsyncGenerator<One, void, undefined> {
  // A link begins at the root of the host.
  const baseUrl = new URL(client.getConfig().baseUrl ?? '').origin
  for (let page = first; ; ) {
    yield page
    const url = page.links.next
    if (!url) {
      return
    }
    const { data } = await client.get<{ 200: One }, unknown, true>({
      baseUrl,
      url,
      security: [{ type: 'http', scheme: 'bearer' }],
    })
    page = data as One
  }
}
