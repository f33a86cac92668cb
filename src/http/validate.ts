import { zValidator } from '@hono/zod-validator'
import type { Context } from 'hono'
import * as z from 'zod/mini'
import { longestId } from '../jsonapi/body.ts'
import type { Problem } from '../jsonapi/errors.ts'
import { bodyLimits, isStorable, type ParsedBody, parseBody } from '../jsonapi/json.ts'
import type { BodyReader, Payload } from '../jsonapi/payload.ts'
import { quote, type Verdict } from '../jsonapi/validate.ts'
import type { AppEnv } from './context.ts'

/**
 * Hono's validator of the query string, as a check among others. It gives a verdict: the problems of path, query and body
 * are answered together, while a validator that fails answers at once.
 */
export function queryJudge<Value>(
  judge: (input: unknown) => Verdict<Value>,
): (c: Context<AppEnv>) => Promise<Verdict<Value>> {
  const validate = zValidator('query', z.pipe(z.unknown(), z.transform(judge)))
  return async (c) => {
    const validated = c as Parameters<typeof validate>[0]
    await validate(validated, async () => {})
    return validated.req.valid('query')
  }
}

const id = z.string().check(z.maxLength(longestId), z.refine(isStorable))

/** The id in the path: at most 64 characters that a store can keep (contract, section 6). */
export function judgeId(sent: string | undefined): Verdict<string | undefined> {
  return sent === undefined || id.safeParse(sent).success
    ? { ok: true, value: sent }
    : {
        ok: false,
        problems: [pathProblem(`${quote(sent)} is no id of at most ${longestId} characters.`)],
      }
}

/** What Hono's own parsing lets through: broken percent-encoding, and parameters without a name. */
export function encodingProblems(url: string): Problem[] {
  if (!/%|[?&]=/.test(url)) {
    return []
  }
  const { pathname, search } = new URL(url)
  const problems: Problem[] = isDecodable(pathname)
    ? []
    : [pathProblem('The path holds broken percent-encoding.')]
  for (const pair of search.slice(1).split('&')) {
    const [name = ''] = pair.split('=', 1)
    if (!isDecodable(pair)) {
      const detail = `${quote(pair)} holds broken percent-encoding.`
      problems.push({ code: 'VALUE_INVALID_FORMAT', detail, source: { parameter: name } })
    } else if (name === '' && pair !== '') {
      const detail = 'A parameter without a name is not taken here.'
      problems.push({ code: 'UNEXPECTED_PARAMETER', detail, source: { parameter: name } })
    }
  }
  return problems
}

/** Reads the body of a request, bounded in size and depth (contract, section 5). */
export async function readBody(request: Request): Promise<ParsedBody> {
  return parseBody(await bytesOf(request))
}

/** Judges the body of a write. */
export function judgeBody(
  body: ParsedBody,
  read: BodyReader,
  resourceId: string | undefined,
): Verdict<Payload> {
  if (!body.ok) {
    return { ok: false, problems: [body.problem] }
  }
  const verdict = read(body.value, resourceId)
  return body.problems.length === 0
    ? verdict
    : { ok: false, problems: [...body.problems, ...(verdict.ok ? [] : verdict.problems)] }
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

function pathProblem(detail: string): Problem {
  return { code: 'VALUE_INVALID_FORMAT', detail, source: { path: 'id' } }
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
