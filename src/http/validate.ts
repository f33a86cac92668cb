import { zValidator } from '@hono/zod-validator'
import type { Context, Env, MiddlewareHandler } from 'hono'
import * as z from 'zod/mini'
import { operationsReader, type TransactionOperation } from '../jsonapi/atomic/operations.ts'
import { acceptsBody, acceptsKey, hasId } from '../jsonapi/declare/operation.ts'
import { filterFaults } from '../jsonapi/declare/readable.ts'
import type { Endpoint, Registry } from '../jsonapi/declare/registry.ts'
import { ApiError, FaultList, type Faults, type Problem } from '../jsonapi/errors.ts'
import { idempotencyKeyHeader, readIdempotencyKey } from '../jsonapi/idempotency.ts'
import type { ParsedBody } from '../jsonapi/json.ts'
import { bodyReader, isId, notAnId, type Payload } from '../jsonapi/request/body.ts'
import { type QueryReader, type QuerySpec, validateQuery } from '../jsonapi/request/query.ts'
import { faultsOf, refused, refusedFor, type Verdict, validateWith } from '../jsonapi/validate.ts'
import { lazy } from '../lib/kept.ts'
import type { Sealer } from '../lib/key-ring.ts'
import { isWellEncoded } from './bounds.ts'

declare module 'hono' {
  interface ContextVariableMap {
    /** The content of the request, all of which is valid. */
    valid: ValidRequest
    /** The content of the transaction, all of which is valid. */
    transaction: ValidTransaction
  }
}

/** The content of a valid request. */
interface ValidRequest {
  /** The id in the path. */
  readonly id: string | undefined
  readonly query: QuerySpec
  /** The content of the body; empty for an operation that takes none. */
  readonly payload: Payload
  /** The `Idempotency-Key`, if one was sent to an operation that takes one. */
  readonly key: string | undefined
}

/** The content of a valid transaction. */
interface ValidTransaction {
  readonly operations: readonly TransactionOperation[]
  /** The `Idempotency-Key`. */
  readonly key: string | undefined
}

/** The parameters in the path of an endpoint. */
const pathSchema = z.object({
  id: z.optional(z.string().check(z.refine(isId))),
})

type Path = z.infer<typeof pathSchema>

/**
 * Leaves a verdict on the path with the request. It never fails, because the faults of path, query and body are told together.
 * Query and body have no such validator, because Hono would read them without bounds.
 */
export const judgePath = zValidator<typeof pathSchema, 'param', Env, string, Path, Verdict<Path>>(
  'param',
  pathSchema,
  undefined,
  {
    validationFunction: (schema, sent) => ({
      success: true,
      data: validateWith(schema, sent, (_, faults) =>
        faults.add(() => pathProblem(notAnId(sent.id))),
      ),
    }),
  },
)

/** The verdict that {@link judgePath} has left. A path with broken encoding has no other fault. */
function judgedPath(c: Context<Env>): Verdict<Path> {
  const judged = c as Context<Env, string, { out: { param: Verdict<Path> } }>
  return isWellEncoded(c.get('target').path) ? judged.req.valid('param') : brokenPath
}

/** The verdict on a path without an id. */
const withoutId: Verdict<Path> = { ok: true, value: {} }

/** The problem of a path with an invalid id. */
function pathProblem(detail: string): Problem {
  return { code: 'VALUE_INVALID_FORMAT', detail, source: { path: 'id' } }
}

/** The verdict on a path whose percent-encoding is broken. */
const brokenPath = refusedFor(pathProblem('The percent-encoding of the path is broken.'))

/** The verdict on the `Idempotency-Key` of a request. */
function judgedKey(c: Context<Env>): Verdict<string | undefined> {
  return readIdempotencyKey(c.req.header(idempotencyKeyHeader))
}

/** The verdict where the operation takes no key. */
const noKey: Verdict<undefined> = { ok: true, value: undefined }

/** The empty payload of an operation that takes no body, or ignores it. */
const nothing: Verdict<Payload> = { ok: true, value: { attributes: {}, relationships: {} } }

/**
 * Validates path, query, headers and body of a request together, and sets `valid`.
 *
 * @throws ApiError with all problems
 */
export function validate(
  { definition, operation, relationship }: Endpoint,
  reader: () => QueryReader,
  sealer: Sealer,
): MiddlewareHandler<Env> {
  const readPath = hasId(operation) ? judgedPath : () => withoutId
  const readKey = acceptsKey(operation) ? judgedKey : () => noKey
  const readPayload = acceptsBody(operation)
    ? lazy(() => bodyReader(definition, operation, relationship))
    : undefined
  return async function validate(c, next) {
    const { rules, read } = reader()
    const params = readPath(c)
    const id = params.ok ? params.value.id : undefined
    const principal = c.get('principal')
    const { path } = c.get('target')
    const { verdict: query, filters } = await read(c.get('query'), path, principal, sealer)
    const payload = readPayload
      ? judgeBody(c.get('body'), (body) => readPayload()(body, id))
      : nothing
    const key = readKey(c)
    const others = filterFaults(rules.collection ?? definition, filters, principal)
    const { problem } = c.get('price')
    if (problem) {
      others.add(() => problem)
    }
    if (!params.ok || !query.ok || !payload.ok || !key.ok || others.problems.length > 0) {
      throw invalid(others.join(faultsOf(params, query, key, payload)))
    }
    c.set('valid', { id, query: query.value, payload: payload.value, key: key.value })
    await next()
  }
}

const unconditional: Problem = {
  code: 'VALUE_INVALID_FORMAT',
  detail:
    'If-Match is not allowed here: it names the state of one resource, and a transaction may write several.',
  source: { header: 'If-Match' },
}

/**
 * Validates query, headers and body of a transaction together, and sets `transaction`.
 *
 * @throws ApiError with all problems
 */
export function validateTransaction(registry: Registry, root: string): MiddlewareHandler<Env> {
  const reader = lazy(() => operationsReader(registry, root))
  return async function validateTransaction(c, next) {
    const faults = new FaultList().join(validateQuery(c.get('query'), new Map()))
    if (c.req.header('If-Match') !== undefined) {
      faults.add(() => unconditional)
    }
    const { problem } = c.get('price')
    if (problem) {
      faults.add(() => problem)
    }
    const key = judgedKey(c)
    const operations = judgeBody(c.get('body'), (body) => reader()(body, c.get('principal')))
    if (!key.ok || !operations.ok || faults.problems.length > 0) {
      throw invalid(faults.join(faultsOf(key, operations)))
    }
    c.set('transaction', { operations: operations.value, key: key.value })
    await next()
  }
}

/** The error of a request with faults. */
function invalid({ problems: [first, ...rest], omitted }: Faults): Error {
  return first
    ? new ApiError([first, ...rest], {}, { omitted })
    : new Error('A request is invalid, but has no fault')
}

/** Judges the body of a write. The verdict holds the faults from reading it, too. */
function judgeBody<Value>(
  body: ParsedBody,
  read: (body: object) => Verdict<Value>,
): Verdict<Value> {
  if (!body.ok) {
    return refusedFor(body.problem)
  }
  const verdict = read(body.value)
  return body.problems.length === 0 ? verdict : refused(faultsOf(refused(body), verdict))
}
