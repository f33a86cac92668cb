import type { Meta } from '../json.ts'
import { encodeCursor, scopeOf, sealCursor } from '../request/cursor.ts'
import type { PageSpec } from '../request/query.ts'
import type { Found } from './port.ts'
import type { Service } from './views.ts'

/** The maximum `page[offset]` within a collection. The rows that an offset skips cost time, too. */
export const maxOffset = 100_000

/** Makes the links and the meta of a page. Links to pages beyond the maximum offset use a cursor or are null. */
export async function pageParts(
  { target, offsetLimit, sealer }: Pick<Service, 'target' | 'offsetLimit' | 'sealer'>,
  page: PageSpec,
  found: Found,
) {
  const { path, search } = target
  const self = uriReference(path + search)
  const { limit, offset, scope } = page
  if (limit === undefined) {
    return { links: { self } }
  }
  const { position: keys = [], total = 0 } = found
  const [id] = keys
  // A cursor that holds more than an id is sealed.
  const nextCursor =
    keys.length > 1
      ? await sealCursor(scope, { keys, limit }, sealer)
      : id && encodeCursor(scope, id, limit)
  const link = linker(uriReference(path), search)
  const following = nextCursor === undefined ? null : link({ [cursorName]: nextCursor })
  if (page.strategy === 'cursor') {
    return {
      links: { self, first: link({}), prev: null, next: following, last: null },
      ...(nextCursor !== undefined && { meta: paginationMeta({ nextCursor }) }),
    }
  }
  const last = Math.max(0, Math.floor((total - 1) / limit) * limit)
  const pageAt = (start: number): string =>
    link({ 'page[limit]': limit, ...(start > 0 && { [offsetName]: start }) })
  const at = (start: number): string | null => (start > offsetLimit ? null : pageAt(start))
  return {
    links: {
      self,
      first: pageAt(0),
      prev: offset > 0 ? at(Math.max(0, Math.min(offset - limit, last))) : null,
      next: offset + limit < total ? (at(offset + limit) ?? following) : null,
      last: at(last),
    },
    meta: paginationMeta({ totalItems: total, ...(nextCursor !== undefined && { nextCursor }) }),
  }
}

/** The meta of a page: its members in an object, and the same under flat names. */
function paginationMeta(pagination: Readonly<Record<string, string | number>>): Meta {
  const flat = Object.entries(pagination).map(([name, value]) => [`pagination.${name}`, value])
  return { pagination, ...Object.fromEntries(flat) }
}

/** The link to the page after the members of a to-many relationship that a resource object shows. */
export function linkageNext(path: string, lastId: string, limit: number): string {
  const cursor = encodeCursor(scopeOf(path, [], {}), lastId, limit)
  return `${path}?${encode(cursorName)}=${cursor}`
}

const [cursorName, offsetName] = ['page[cursor]', 'page[offset]']

/** Makes the links to other pages. A link replaces the parameters of the position, and keeps the others in their order. */
function linker(path: string, search: string) {
  const sent = [...new URLSearchParams(search)]
  return (where: Readonly<Record<string, string | number>>): string => {
    const kept = sent.filter(
      ([name]) => name !== cursorName && name !== offsetName && !Object.hasOwn(where, name),
    )
    const query = [...kept, ...Object.entries(where)]
      .map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
      .join('&')
    return query === '' ? path : `${path}?${query}`
  }
}

/**
 * A path and query as a URI reference: characters that RFC 3986 (sections 3.3 and 3.4) does not allow are percent-encoded.
 * Percent signs stay, because the percent-encoding of a valid request is well-formed.
 */
function uriReference(sent: string): string {
  return sent.replace(/[^\w.~!$&'()*+,;=:@/?%-]/gu, encodeURIComponent)
}

/**
 * Percent-encodes a text except commas, so that lists stay readable. It encodes apostrophes, as a
 * [URL](https://url.spec.whatwg.org/#special-query-percent-encode-set) does in the query string that `self` repeats.
 */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%2C|'/g, (found) => (found === "'" ? '%27' : ','))
}
