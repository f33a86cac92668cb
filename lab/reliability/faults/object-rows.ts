import type { Operation } from './operations.ts'
import type { ObjectFault } from './plan.ts'
import { type Expected, type Row, success } from './rows.ts'

const always = 99
const message = 'Durable Object reset because its code was updated.'
const tooMany = 'Durable Object is overloaded. Too many requests queued.'
const degraded = 'limiter degraded'

/** The objects of the rate limiter at fault: never a 5xx (contract, section 10). */
export const objectRows: readonly Row[] = [
  row('throws', { kind: 'throws', message, times: always }, success, degraded),
  row('throws once', { kind: 'throws', message, times: 1 }, success, degraded),
  row(
    'throws, retryable',
    { kind: 'throws', message, times: always, retryable: true },
    success,
    degraded,
  ),
  row('overloaded', { kind: 'throws', message: tooMany, times: always, overloaded: true }, refused),
  row(
    'overloaded and retryable',
    { kind: 'throws', message: tooMany, times: 1, overloaded: true, retryable: true },
    refused,
  ),
  row('hangs', { kind: 'hangs' }, success, 'gave no answer within 500 ms'),
  {
    ...row(
      'hangs, with another deadline',
      { kind: 'hangs' },
      success,
      'gave no answer within 90 ms',
    ),
    vars: { RATE_LIMIT_DEADLINE_MS: '90' },
  },
  row('answers nonsense', { kind: 'nonsense' }, success, degraded),
  row('is not bound', { kind: 'absent' }, success, degraded),
  {
    group: 'objects',
    name: 'must stay in a jurisdiction, which this platform does not know',
    vars: { RATE_LIMIT_JURISDICTION: 'eu' },
    phases: [{ name: 'cold', expected: success }],
    logged: 'Jurisdiction restrictions are not implemented',
  },
]

function row(
  name: string,
  objects: ObjectFault,
  expected: (operation: Operation) => Expected,
  logged?: string,
): Row {
  return {
    group: 'objects',
    name,
    phases: [{ name: 'cold', plan: { objects }, expected }],
    ...(logged !== undefined && { logged }),
  }
}

function refused(): Expected {
  return { status: 429, code: 'TOO_MANY_REQUESTS', retryAfter: true, stored: 'before' }
}
