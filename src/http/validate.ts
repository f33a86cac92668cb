import { zValidator } from '@hono/zod-validator'
import type { Context } from 'hono'
import * as z from 'zod'
import { type Endpoint, hasId } from '../jsonapi/declare/endpoint.ts'
import { takesBody, takesKey } from '../jsonapi/declare/operation.ts'
import { readableFaults } from '../jsonapi/declare/readable.ts'
import { ApiError, type Faults, type Problem } from '../jsonapi/errors.ts'
import { bodyLimits, isStorable, type ParsedBody, parseBody } from '../jsonapi/json.ts'
import { bodyReader, longestId, notAnId, type Payload } from '../jsonapi/request/body.ts'
import { idempotencyKeyHeader, readIdempotencyKey } from '../jsonapi/request/idempotency-key.ts'
import type { QueryReader, QuerySpec } from '../jsonapi/request/query.ts'
import { faultsOf, judge, refused, refusedFor, type Verdict } from '../jsonapi/validate.ts'
import type { WithDeadline } from '../lib/deadline.ts'
import type { Sealer } from '../lib/sealer.ts'
import type { AppEnv, Step } from './context.ts'
import { isWellEncoded, judgeParameters, requestTarget, sentQuery } from './query.ts'
import { bytesUpTo } from './request-body.ts'

/** The content of a valid request. */
export interface ValidRequest {
  /** The id in the path. */
  readonly id: string | undefined
  readonly query: QuerySpec
  /** The content of the body; empty for an operation that takes none. */
  readonly payload: Payload
  /** The `Idempotency-Key`, if one was sent to an operation that takes one. */
  readonly key: string | undefined
}

/** The parameters in the path of an endpoint. */
const pathSchema = z.object({
  id: z.string().max(longestId, { abort: true }).refine(isStorable).optional(),
})

type Path = z.infer<typeof pathSchema>

/** The type of the verdict that {@link pathValidator} leaves with a request that has an id in its path. */
interface JudgedPath {
  out: { param: Verdict<Path> }
}

/**
 * Leaves a verdict on the path with the request. It never fails, because the faults of path, query and body are told together.
 * Hono's validator does not judge query and body, because it would read them without bounds.
 */
const pathValidator = zValidator<typeof pathSchema, 'param', AppEnv, string, Path, Verdict<Path>>(
  'param',
  pathSchema,
  undefined,
  {
    validationFunction: (schema, sent) => ({
      success: true,
      data: judge(schema, sent, (_, faults) => faults.add(() => pathProblem(notAnId(sent.id)))),
    }),
  },
)

/** Judges the id in the path: at most 64 characters that can be stored (contract, section 6). */
async function judgePath(context: Context<AppEnv>): Promise<Verdict<Path>> {
  const c = context as Context<AppEnv, string, JudgedPath>
  await pathValidator(c, async () => {})
  return c.req.valid('param')
}

/** The verdict on a path without an id. */
const noId: Verdict<Path> = { ok: true, value: {} }

/** The problem of a path with an invalid id. */
function pathProblem(detail: string): Problem {
  return { code: 'VALUE_INVALID_FORMAT', detail, source: { path: 'id' } }
}

/** The verdict on a path whose percent-encoding is broken. */
const brokenPath = refusedFor(pathProblem('The percent-encoding of the path is broken.'))

/** The empty payload of an operation that takes no body, or ignores it. */
const nothing: Verdict<Payload> = { ok: true, value: { attributes: {}, relationships: {} } }

/**
 * Makes the step that validates path, query, headers and body of a request together, and sets `valid`. The step throws ApiError
 * with all problems.
 */
export function validate(
  endpoint: Endpoint,
  { rules, judge, open, understand }: QueryReader,
  sealer: Sealer,
): Step {
  const { definition, operation, relationship } = endpoint
  const takesId = hasId(endpoint)
  const readPayload = takesBody(operation)
    ? bodyReader(definition, operation, relationship)
    : undefined
  return async (c) => {
    const [path] = requestTarget(c)
    const params = !isWellEncoded(path) ? brokenPath : takesId ? await judgePath(c) : noId
    const id = params.ok ? params.value.id : undefined
    const judged = judgeParameters(sentQuery(c), judge)
    const opening = open(judged, path, sealer)
    const query = understand(judged, path, opening && (await opening))
    const payload = readPayload
      ? judgeBody(c.get('body'), (body) => readPayload(body, id))
      : nothing
    const key = readIdempotencyKey(
      takesKey(operation) ? c.req.header(idempotencyKeyHeader) : undefined,
    )
    const others = readableFaults(rules.collection ?? definition, judged.uses, c.get('principal'))
    const { problem } = c.get('price')
    if (problem) {
      others.add(() => problem)
    }
    if (!params.ok || !query.ok || !payload.ok || !key.ok || others.problems.length > 0) {
      throw invalid(others.join(faultsOf(params, query, key, payload)))
    }
    c.set('valid', { id, query: query.value, payload: payload.value, key: key.value })
  }
}

/** The error of a request with faults. */
export function invalid({ problems: [first, ...rest], untold }: Faults): Error {
  return first
    ? new ApiError([first, ...rest], {}, { untold })
    : new Error('A request is invalid, but has no fault')
}

/** The milliseconds in which the body of a request must arrive (contract, section 14). */
const bodyMs = 10_000

const late = {
  code: 'INVALID_PAYLOAD',
  detail: `The body has not arrived within ${bodyMs / 1_000} seconds.`,
} as const

/** Judges the body of a write. The verdict holds the faults from reading it, too. */
export function judgeBody<Value>(
  body: ParsedBody,
  read: (body: object) => Verdict<Value>,
): Verdict<Value> {
  if (!body.ok) {
    return refusedFor(body.problem)
  }
  const verdict = read(body.value)
  return body.problems.length === 0 ? verdict : refused(faultsOf(refused(body), verdict))
}

/** Reads the body of a request within bounds of size, depth and time (contract, section 5). */
export async function readBody(request: Request, withDeadline: WithDeadline): Promise<ParsedBody> {
  // One byte more than is allowed is read, which shows that a body is too long.
  const bytes = await withDeadline(
    bytesUpTo(request, bodyLimits.bytes + 1),
    bodyMs,
    () => undefined,
  )
  return bytes ? parseBody(bytes) : { ok: false, problem: late }
}
