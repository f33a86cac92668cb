import type { Env, Handler, MiddlewareHandler } from 'hono'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { FaultList, type Problem } from '../jsonapi/errors.ts'
import { idempotencyKeyHeader, readIdempotencyKey } from '../jsonapi/request/idempotency-key.ts'
import { operationsReader, type TransactionOperation } from '../jsonapi/request/operations.ts'
import { judgeQuery } from '../jsonapi/request/query.ts'
import { transact } from '../jsonapi/run/transact.ts'
import { faultsOf } from '../jsonapi/validate.ts'
import { lazy } from '../lib/lazy.ts'
import type { Signer } from '../lib/signer.ts'
import { type Operating, serviceFor, storedKey } from './answers.ts'
import { respondWrite } from './respond.ts'
import { invalid, judgeBody } from './validate.ts'

declare module 'hono' {
  interface ContextVariableMap {
    /** The content of the transaction, all of which is valid. */
    transaction: ValidTransaction
  }
}

/** The content of a valid transaction. */
interface ValidTransaction {
  readonly operations: readonly TransactionOperation[]
  /** The `Idempotency-Key`. */
  readonly key: string | undefined
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
    const faults = new FaultList().join(judgeQuery(c.get('query'), new Map()))
    if (c.req.header('If-Match') !== undefined) {
      faults.add(() => unconditional)
    }
    const { problem } = c.get('price')
    if (problem) {
      faults.add(() => problem)
    }
    const key = readIdempotencyKey(c.req.header(idempotencyKeyHeader))
    const operations = judgeBody(c.get('body'), (body) => reader()(body, c.get('principal')))
    if (!key.ok || !operations.ok || faults.problems.length > 0) {
      throw invalid(faults.join(faultsOf(key, operations)))
    }
    c.set('transaction', { operations: operations.value, key: key.value })
    await next()
  }
}

/** Answers valid transactions (contract, section 13). */
export function answerTransaction(operating: Operating, fingerprints: Signer): Handler<Env> {
  return async function answerTransaction(c) {
    const { operations, key } = c.get('transaction')
    const once = await storedKey(c, fingerprints, key)
    return respondWrite(
      await transact(serviceFor(c, operating), operations, c.get('principal'), once),
    )
  }
}
