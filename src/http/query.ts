import type { Context } from 'hono'
import { ApiError, FaultList, type Faults } from '../jsonapi/errors.ts'
import { longestQuery } from '../jsonapi/request/parameters.ts'
import type { JudgedQuery, QueryReader, SentParameters } from '../jsonapi/request/query.ts'
import { brief, quote } from '../jsonapi/wording.ts'
import type { AppEnv, Step } from './context.ts'

/** The query string of a request: its parameters, and the faults of its encoding. */
export interface SentQuery {
  readonly sent: SentParameters
  readonly faults: Faults
}

/**
 * The query string of a request, which is read once: for the price, and later to be judged. Hono does not read it, because
 * Hono catches an exception for each broken encoding, which is slow.
 */
export function sentQuery(c: Context<AppEnv>): SentQuery {
  const known = c.get('query')
  if (known) {
    return known
  }
  const query = readQuery(searchOf(c))
  c.set('query', query)
  return query
}

/** Is the query string too long to be read? Its request costs the least price (contract, section 10). */
export function isOverlong(c: Context<AppEnv>): boolean {
  return searchOf(c).length > longestQuery
}

/**
 * The step that refuses a query string that is too long, before anything of the request is validated. So this fault is told alone
 * (contract, section 6). The step throws ApiError VALUE_INVALID_FORMAT.
 */
export const demandShortQuery: Step = (c) => {
  if (isOverlong(c)) {
    throw ApiError.of(
      'VALUE_INVALID_FORMAT',
      `The query string has ${searchOf(c).length} characters, but at most ${longestQuery} are allowed.`,
    )
  }
}

/** The query string of a request as it was sent, without its `?`. */
function searchOf(c: Context<AppEnv>): string {
  const [, search] = requestTarget(c)
  return search.slice(1)
}

/** The target of a request. It is kept, because the runtime makes a new text each time that the URL of a request is read. */
export function requestTarget(c: Context<AppEnv>): RequestTarget {
  const known = c.get('requestTarget')
  if (known) {
    return known
  }
  const target = targetOfUrl(c.req.url)
  c.set('requestTarget', target)
  return target
}

/** Judges each parameter of a query string. The faults of its encoding are told together with all others. */
export function judgeParameters(
  { sent, faults }: SentQuery,
  judge: QueryReader['judge'],
): JudgedQuery {
  const judged = judge(sent)
  if (faults.problems.length === 0) {
    return judged
  }
  const { problems, untold } = new FaultList().join(faults, judged)
  return { ...judged, problems, untold }
}

/** What a request without a query string has sent. All of them share it, so that nothing may change it. */
const nothing: SentQuery = { sent: {}, faults: new FaultList() }

/** Reads a query string without its `?`. Parameters with broken encoding, or without a name, are faults. */
export function readQuery(search: string): SentQuery {
  if (search === '') {
    return nothing
  }
  const faults = new FaultList()
  const sent = new Map<string, string | string[] | null>()
  const broken = new Set<string>()
  // Parameters may have nothing between them.
  for (const pair of search.split('&').filter(Boolean)) {
    const equals = pair.indexOf('=')
    const written = equals < 0 ? pair : pair.slice(0, equals)
    const name = decoded(written)
    const value = equals < 0 ? '' : decoded(pair.slice(equals + 1))
    if (name === undefined || value === undefined) {
      if (!broken.has(pair)) {
        faults.add(() => ({
          code: 'VALUE_INVALID_FORMAT',
          detail: `The percent-encoding of ${quote(pair)} is broken.`,
          source: { parameter: brief(name ?? written) },
        }))
      }
      broken.add(pair)
      if (name !== undefined) {
        sent.set(name, null)
      }
      continue
    }
    const before = sent.get(name)
    if (Array.isArray(before)) {
      before.push(value)
    } else {
      sent.set(name, typeof before === 'string' ? [before, value] : value)
    }
  }
  return { sent: Object.fromEntries(sent), faults }
}

/** Does the percent-encoding of a text stand for well-formed UTF-8? */
export function isWellEncoded(text: string): boolean {
  return !text.includes('%') || wellEncoded.test(text)
}

/** The decoded text of a name or value in a query string; undefined where its encoding is broken. */
function decoded(text: string): string | undefined {
  if (!isWellEncoded(text)) {
    return undefined
  }
  const plain = text.replaceAll('+', ' ')
  return plain.includes('%') ? decodeURIComponent(plain) : plain
}

/**
 * The pattern of percent-encoded, well-formed UTF-8 (RFC 3629, section 4). Catching an exception of decodeURIComponent for each
 * of thousands of texts costs a hundred times as much. `H` stands for a hexadecimal digit, `T` for a continuation byte.
 */
const wellEncoded = new RegExp(
  [
    '^(?:[^%]',
    '%[0-7]H',
    '%(?:c[2-9a-f]|dH)T',
    '%(?:e0%[ab]H|e[1-9abcef]T|ed%[89]H)T',
    '%(?:f0%[9ab]H|f[1-3]T|f4%8H)TT)*$',
  ]
    .join('|')
    .replaceAll('T', '%[89ab]H')
    .replaceAll('H', '[0-9a-f]'),
  'i',
)

/** The path and the query string of a URL as they were sent. The query string has its `?`, and is empty where there is none. */
export type RequestTarget = readonly [path: string, search: string]

/** The target in a URL (RFC 9112, section 3.2.1). */
export function targetOfUrl(url: string): RequestTarget {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const query = url.indexOf('?', start)
  return query < 0 ? [url.slice(start), ''] : [url.slice(start, query), url.slice(query)]
}
