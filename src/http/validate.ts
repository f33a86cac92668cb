import type { Context } from 'hono'
import { longestId } from '../jsonapi/body.ts'
import { FaultList } from '../jsonapi/errors.ts'
import { bodyLimits, isStorable, parseBody } from '../jsonapi/json.ts'
import type { JudgedQuery, SentParameters } from '../jsonapi/judge-query.ts'
import type { BodyReader, Payload } from '../jsonapi/payload.ts'
import type { QueryReader } from '../jsonapi/query.ts'
import { brief, faultsOf, quote, refused, type Verdict } from '../jsonapi/validate.ts'
import type { AppEnv } from './context.ts'

/**
 * Judges the query string of a request. It is read here and not by Hono: each parameter once, and what is wrong with the
 * encoding is told beside all else.
 */
export function queryJudge(judge: QueryReader['judge']): (c: Context<AppEnv>) => JudgedQuery {
  return (c) => {
    const { url } = c.req
    const start = url.indexOf('?')
    const faults = new FaultList()
    const judged = judge(start < 0 ? {} : sentIn(url.slice(start + 1), faults))
    const { problems, untold } = faults.join(judged)
    return { ...judged, problems, untold }
  }
}

/** The parameters of a query string. A pair whose encoding is broken is a fault, told once. */
function sentIn(search: string, faults: FaultList): SentParameters {
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
  return Object.fromEntries(sent)
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

/** The id in the path: at most 64 characters that a store can keep (contract, section 6). `path` is as it was sent. */
export function judgeId(sent: string | undefined, path: string): Verdict<string | undefined> {
  const detail =
    decoded(path) === undefined
      ? 'The path holds broken percent-encoding.'
      : sent !== undefined && (sent.length > longestId || !isStorable(sent))
        ? `${quote(sent)} is no id of at most ${longestId} characters.`
        : undefined
  return detail === undefined
    ? { ok: true, value: sent }
    : refused({
        problems: [{ code: 'VALUE_INVALID_FORMAT', detail, source: { path: 'id' } }],
        untold: 0,
      })
}

/** Reads and judges the body of a write. */
export async function judgeBody(
  c: Context<AppEnv>,
  read: BodyReader,
  resourceId: string | undefined,
): Promise<Verdict<Payload>> {
  const body = parseBody(await bytesOf(c.req.raw))
  if (!body.ok) {
    return refused({ problems: [body.problem], untold: 0 })
  }
  const verdict = read(body.value, resourceId)
  return body.problems.length === 0 ? verdict : refused(faultsOf(refused(body), verdict))
}

/** The bytes of a body, or some more than are allowed: the rest is not waited for. */
async function bytesOf(request: Request): Promise<Uint8Array> {
  const declared = request.headers.get('Content-Length')
  if (declared !== null && Number(declared) <= bodyLimits.bytes) {
    // HTTP holds the body to its length, and read whole it costs a tenth of a stream.
    return new Uint8Array(await request.arrayBuffer())
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length > bodyLimits.bytes) {
      break
    }
  }
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
