import type { Context } from 'hono'
import { FaultList, type Faults } from '../jsonapi/errors.ts'
import {
  type JudgedQuery,
  noParameters,
  type SentParameters,
} from '../jsonapi/request/judge-query.ts'
import type { QueryReader } from '../jsonapi/request/query.ts'
import { brief, quote } from '../jsonapi/wording.ts'
import type { AppEnv } from './context.ts'

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
  return readOnce(c, searchOf(c))
}

/**
 * The parameters that a request is charged for. There are none where the query string holds more parameters than the operation
 * takes: the request is invalid then, and to read thousands of parameters would make its refusal dear (contract, section 10).
 *
 * @param taken how many parameters the operation takes
 */
export function chargedParameters(c: Context<AppEnv>, taken: number): SentParameters {
  const search = searchOf(c)
  return isOverfull(search, taken) ? {} : readOnce(c, search).sent
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

function readOnce(c: Context<AppEnv>, search: string): SentQuery {
  const query = readQuery(search)
  c.set('query', query)
  return query
}

/**
 * Does a query string hold more parameters than an operation takes? If it does, one of them is unknown or is sent twice.
 * Counting ends at the first parameter that is too many.
 */
export function isOverfull(search: string, taken: number): boolean {
  // Most query strings have fewer parts than parameters are taken. Parts may be empty, and are no parameters then.
  if (search.split('&', taken + 1).length <= taken) {
    return false
  }
  let count = 0
  for (const _ of search.matchAll(/[^&]+/g)) {
    count++
    if (count > taken) {
      return true
    }
  }
  return false
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
const nothing: SentQuery = { sent: noParameters, faults: new FaultList() }

/** Reads a query string without its `?`. Parameters with broken encoding, or without a name, are faults. */
export function readQuery(search: string): SentQuery {
  if (search === '') {
    return nothing
  }
  const faults = new FaultList()
  const sent = new Map<string, string | string[] | null>()
  const broken = new Set<string>()
  for (const pair of pairsOf(search)) {
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

/** The parameters of a query string as they were sent. Thousands of `&` with nothing between them may come, and are no parameters. */
function pairsOf(search: string): string[] {
  const text = search.includes('&&') ? search.replace(/&+/g, '&') : search
  return text.split('&').filter(Boolean)
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
  const plain = text.includes('+') ? withSpaces(text) : text
  return plain.includes('%') ? decodeURIComponent(plain) : plain
}

const [utf8, fromUtf8] = [
  new TextEncoder(),
  new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }),
]
const [plus, space] = [0x2b, 0x20]

/** The text with a space in the place of each plus. To replace thousands of them in a string takes ten times as long. */
function withSpaces(text: string): string {
  const bytes = utf8.encode(text)
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] === plus) {
      bytes[index] = space
    }
  }
  return fromUtf8.decode(bytes)
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
