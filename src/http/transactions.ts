import type { Hono } from 'hono'
import { operationsPath, transactionRule } from '../jsonapi/declare/endpoint.ts'
import type { Registry } from '../jsonapi/declare/registry.ts'
import { FaultList, type Problem } from '../jsonapi/errors.ts'
import { idempotencyKeyHeader, readIdempotencyKey } from '../jsonapi/request/idempotency-key.ts'
import { atomicExtension } from '../jsonapi/request/media-type.ts'
import { operationsReader, type TransactionOperation } from '../jsonapi/request/operations.ts'
import { judgeQuery } from '../jsonapi/request/query.ts'
import { transact } from '../jsonapi/run/transact.ts'
import { faultsOf } from '../jsonapi/validate.ts'
import { lazy } from '../lib/lazy.ts'
import { entitle } from './authenticate.ts'
import type { AppEnv, Step } from './context.ts'
import { idempotencyKeyOf } from './idempotency.ts'
import { demandAcceptable, demandJsonApi } from './negotiate.ts'
import { transactionPrice } from './price.ts'
import { demandShortQuery, judgeParameters, sentQuery } from './query.ts'
import { respond } from './respond.ts'
import { callerSteps, chargeByBody, inTurn, type Services } from './routes.ts'
import { begun } from './session.ts'
import { invalid, judgeBody } from './validate.ts'

/** The content of a valid transaction. */
export interface ValidTransaction {
  readonly operations: readonly TransactionOperation[]
  /** The `Idempotency-Key`. */
  readonly key: string | undefined
}

/** The name of transactions in the log. */
const name = 'operations'

/**
 * Adds the route of transactions (contract, section 13), with the same checks in the same order as every other route. There is
 * none where no type has a write operation.
 */
export function addTransactions(app: Hono<AppEnv>, services: Services): void {
  const { root, resource, limit, registry } = services
  const rule = transactionRule(registry)
  if (!rule) {
    return
  }
  const steps = lazy((): readonly Step[] => {
    const charge = chargeByBody(limit, transactionPrice(limit))
    return [
      (c) => c.set('operation', name),
      demandAcceptable(atomicExtension),
      ...callerSteps(services, charge),
      entitle(rule, resource),
      demandJsonApi(atomicExtension),
      demandShortQuery,
      validateTransaction(registry, root),
    ]
  })
  app.post(root + operationsPath, async (c) => {
    await inTurn(c, steps())
    const service = await begun(c, services, true)
    const { operations, key } = c.get('transaction')
    const once = await idempotencyKeyOf(c, services.fingerprints, key)
    const answer = await transact(service, operations, c.get('principal'), once)
    return respond(c, answer, false)
  })
}

const unconditional: Problem = {
  code: 'VALUE_INVALID_FORMAT',
  detail:
    'If-Match is not allowed here: it names the state of one resource, and a transaction may write several.',
  source: { header: 'If-Match' },
}

/**
 * Makes the step that validates query, headers and body of a transaction, and sets `transaction`. The step throws ApiError with
 * all problems.
 */
function validateTransaction(registry: Registry, root: string): Step {
  const read = operationsReader(registry, root)
  return (c) => {
    const faults = new FaultList().join(
      judgeParameters(sentQuery(c), (sent) => judgeQuery(sent, new Map())),
    )
    if (c.req.header('If-Match') !== undefined) {
      faults.add(() => unconditional)
    }
    const { problem } = c.get('price')
    if (problem) {
      faults.add(() => problem)
    }
    const key = readIdempotencyKey(c.req.header(idempotencyKeyHeader))
    const operations = judgeBody(c.get('body'), (body) => read(body, c.get('principal')))
    if (!key.ok || !operations.ok || faults.problems.length > 0) {
      throw invalid(faults.join(faultsOf(key, operations)))
    }
    c.set('transaction', { operations: operations.value, key: key.value })
  }
}
