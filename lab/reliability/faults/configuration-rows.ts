import type { Operation } from './operations.ts'
import { type Expected, failed, type Row, success } from './rows.ts'

/** Another key than the one that the stored card numbers are encrypted under. */
const otherRing = JSON.stringify({ current: 'other', keys: { other: 'B'.repeat(43) } })

/**
 * Values under which the service cannot run; the log names the variable. One of each kind: which values of which variable are wrong,
 * the tests of their readers try.
 */
const fatal: readonly (readonly [name: string, value: string | undefined])[] = [
  ['ROOT_PATH', 'jsonapi'],
  ['TOKEN_ISSUER', undefined],
  ['JWKS_URL', 'not a URL'],
  ['CARD_KEYS', undefined],
  ['RATE_LIMIT_BURST_CAPACITY', 'many'],
  ['RATE_LIMIT_JURISDICTION', 'de'],
]

/** Variables whose absence means their default. */
const optional = {
  ROOT_PATH: undefined,
  CORS_ORIGINS: undefined,
  RATE_LIMIT_BURST_CAPACITY: undefined,
  RATE_LIMIT_REPLENISH_RATE: undefined,
  RATE_LIMIT_READ_COST: undefined,
  RATE_LIMIT_WRITE_COST: undefined,
}

/** Secrets and variables at fault. */
export const configurationRows: readonly Row[] = [
  ...fatal.map(([name, value]) =>
    row(
      `${name} is ${value === undefined ? 'missing' : `"${value}"`}`,
      { [name]: value },
      broken,
      name,
    ),
  ),
  row('CARD_KEYS is no ring of keys', { CARD_KEYS: 'hunter2' }, broken, 'ring of card keys'),
  row('All that have a default are missing', optional, success),
  row('CARD_KEYS lacks the key of the stored cards', { CARD_KEYS: otherRing }, unreadable),
]

/** No dependency has failed, and waiting does not help: no `Retry-After`. */
function broken(): Expected {
  return { status: 500, code: 'INTERNAL_SERVER_ERROR', retryAfter: false, stored: 'before' }
}

/** Only a request that shows the card number that cannot be read is affected. */
function unreadable(operation: Operation): Expected {
  return operation.name === 'users.get' ? failed() : success(operation)
}

function row(
  name: string,
  vars: Readonly<Record<string, string | undefined>>,
  expected: (operation: Operation) => Expected,
  logged?: string,
): Row {
  return {
    group: 'configuration',
    name,
    vars,
    phases: [{ name: 'cold', expected }],
    ...(logged !== undefined && { logged }),
  }
}
