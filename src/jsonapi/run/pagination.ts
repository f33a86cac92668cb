import type { Sealer } from '../../lib/sealer.ts'
import type { Links, Meta } from '../document.ts'
import { encodeCursor, sealCursor } from '../request/cursor.ts'
import { type PageSpec, scopeOf } from '../request/query.ts'
import type { Found } from './store.ts'

/** Links and meta of a page (contract, section 7). */
export interface PageParts {
  readonly links: Links
  readonly meta?: Meta
}

/** The request that a page answers. */
export interface PageRequest {
  /** The path, without query. */
  readonly path: string
  /** The query string as it was sent, with its `?`; empty where there is none. */
  readonly search: string
  /** The largest offset in a link. Links to pages beyond it use a cursor or are null. */
  readonly mostOffset: number
}

/** The cursor of the next page; undefined where no page follows. One that holds more than an id is sealed, and comes as a promise. */
export function nextCursorOf(
  sealer: Sealer,
  { scope, limit }: PageSpec,
  { position: keys }: Found,
): string | undefined | Promise<string> {
  if (!keys || limit === undefined) {
    return undefined
  }
  const position = { keys, limit }
  return keys.length > 1 ? sealCursor(sealer, scope, position) : encodeCursor(scope, position)
}

/** Makes the links and the meta of a page (contract, section 7). */
export function pageParts(
  { path, search, mostOffset }: PageRequest,
  page: PageSpec,
  found: Found,
  nextCursor: string | undefined,
): PageParts {
  const self = uriReference(path + search)
  if (page.limit === undefined) {
    return { links: { self } }
  }
  const link = linker(uriReference(path), search)
  const cursorMeta = nextCursor === undefined ? {} : { 'pagination.nextCursor': nextCursor }
  if (page.strategy === 'cursor') {
    return {
      links: {
        self,
        first: link([], ['page[cursor]']),
        prev: null,
        next: nextCursor === undefined ? null : link([['page[cursor]', nextCursor]]),
        last: null,
      },
      ...(nextCursor === undefined ? {} : { meta: cursorMeta }),
    }
  }
  const total = found.total ?? 0
  const { limit, offset } = page
  const byCursor =
    nextCursor === undefined ? null : link([['page[cursor]', nextCursor]], ['page[offset]'])
  const last = Math.max(0, Math.floor((total - 1) / limit) * limit)
  const pageAt = (start: number): string =>
    link(
      start > 0
        ? [
            ['page[limit]', String(limit)],
            ['page[offset]', String(start)],
          ]
        : [['page[limit]', String(limit)]],
      ['page[offset]'],
    )
  const at = (start: number): string | null => (start > mostOffset ? null : pageAt(start))
  return {
    links: {
      self,
      first: pageAt(0),
      prev: offset > 0 ? at(Math.max(0, Math.min(offset - limit, last))) : null,
      next: offset + limit < total ? (at(offset + limit) ?? byCursor) : null,
      last: at(last),
    },
    meta: { 'pagination.totalItems': total, ...cursorMeta },
  }
}

/** The link in a resource object to the page behind the last member of a to-many relationship that it shows. */
export function linkageNext(path: string, lastId: string, limit: number): string {
  const cursor = encodeCursor(scopeOf(path, [], {}), { keys: [lastId], limit })
  return linker(path, '')([['page[cursor]', cursor]])
}

type Parameter = readonly [name: string, value: string]

/** Gives the function that makes links to other pages. They keep every other parameter in its order. */
function linker(path: string, search: string) {
  // Most pages are asked for without a query, and an object of the platform costs more than all else here.
  const sent = search === '' ? [] : [...new URLSearchParams(search)].map(spelled)
  return (set: readonly Parameter[], drop: readonly string[] = []): string => {
    const isGone = (name: string): boolean =>
      drop.includes(name) || set.some(([other]) => other === name)
    const query = [...sent.filter(({ name }) => !isGone(name)), ...set.map(spelled)]
      .map(({ text }) => text)
      .join('&')
    return query === '' ? path : `${path}?${query}`
  }
}

/** A parameter with its text in a query string. */
function spelled([name, value]: Parameter) {
  return { name, text: `${encode(name)}=${encode(value)}` }
}

/**
 * A path and query as a URI reference: characters that RFC 3986 (sections 3.3 and 3.4) does not allow are percent-encoded.
 * Percent signs stay, because the percent-encoding of a valid request is well-formed.
 */
function uriReference(sent: string): string {
  return notInUri.test(sent)
    ? sent.replace(new RegExp(notInUri, 'gu'), (character) => encodeURIComponent(character))
    : sent
}

const notInUri = /[^\w.~!$&'()*+,;=:@/?%-]/u

/**
 * Percent-encodes a text but its commas, so that lists stay readable. It encodes apostrophes, as the runtime does in the query
 * string that `self` repeats.
 */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%2C', ',').replaceAll("'", '%27')
}
