import type { Context } from 'hono'
import { FaultList, type Faults } from '../jsonapi/errors.ts'
import type { JudgedQuery, SentParameters } from '../jsonapi/request/judge-query.ts'
import type { QueryReader } from '../jsonapi/request/query.ts'
import { brief, quote } from '../jsonapi/validate.ts'
import type { AppEnv } from './context.ts'

/** The query string of a request: its parameters, and what is wrong with its encoding. */
export interface SentQuery {
  readonly sent: SentParameters
  readonly faults: Faults
}

/**
 * Reads the query string of a request, once: its price depends on it before it is judged. It is read here and not by Hono,
 * which catches what broken encoding throws, at a price.
 */
export function sentQuery(c: Context<AppEnv>): SentQuery {
  const known = c.get('query')
  if (known) {
    return known
  }
  const [, search] = pathAndSearch(c.req.url)
  const query = readQuery(search.slice(1))
  c.set('query', query)
  return query
}

/** Judges each parameter of a query string; what is wrong with its encoding is told beside all else. */
export function judgeParameters(
  { sent, faults }: SentQuery,
  judge: QueryReader['judge'],
): JudgedQuery {
  const judged = judge(sent)
  const { problems, untold } = new FaultList().join(faults, judged)
  return { ...judged, problems, untold }
}

/** Reads a query string, without its `?`. Parameters of broken encoding, and those without a name, are faults. */
export function readQuery(search: string): SentQuery {
  const faults = new FaultList()
  const sent = new Map<string, string | string[] | null>()
  const broken = new Set<string>()
  for (const pair of search.split('&')) {
    if (pair === '') {
      continue
    }
    const equals = pair.indexOf('=')
    const written = equals < 0 ? pair : pair.slice(0, equals)
    const name = decoded(written)
    const value = equals < 0 ? '' : decoded(pair.slice(equals + 1))
    if (name === undefined || value === undefined) {
      if (!broken.has(pair)) {
        faults.add(() => ({
          code: 'VALUE_INVALID_FORMAT',
          detail: `${quote(pair)} holds broken percent-encoding.`,
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

/** Is the percent-encoding of a text that of well-formed UTF-8? */
export function isWellEncoded(text: string): boolean {
  return !text.includes('%') || wellEncoded.test(text)
}

/** The text that percent-encoding of a query string stands for; undefined where it is broken. */
function decoded(text: string): string | undefined {
  const plain = text.replaceAll('+', ' ')
  return !plain.includes('%')
    ? plain
    : wellEncoded.test(plain)
      ? decodeURIComponent(plain)
      : undefined
}

/**
 * Percent-encoding of well-formed UTF-8 (RFC 3629, section 4). A pattern, because to catch what decodeURIComponent throws
 * costs a hundred times as much, for each of thousands of texts. `H` is a hexadecimal digit, `T` the byte of a tail.
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

/** The path and the query string of a URL, as they were sent. */
export function pathAndSearch(url: string): [path: string, search: string] {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  const query = url.indexOf('?', start)
  return query < 0 ? [url.slice(start), ''] : [url.slice(start, query), url.slice(query)]
}
