import type { Operation } from './operations.ts'
import { type Expected, failed, type Row, success } from './rows.ts'

/** Another key than the one that the stored card numbers are encrypted under. */
const otherRing = JSON.stringify({ current: 'other', keys: { other: 'B'.repeat(43) } })

/** Values under which the service cannot run; the log names the variable. */
const fatal: readonly (readonly [name: string, value: string | undefined])[] = [
  ['ROOT_PATH', 'jsonapi'],
  ['ROOT_PATH', '/jsonapi/'],
  ['AUTH_URL', undefined],
  ['AUTH_URL', 'nowhere'],
  ['TOKEN_ISSUER', undefined],
  ['TOKEN_ISSUER', ''],
  ['TOKEN_AUDIENCE', undefined],
  ['TOKEN_AUDIENCE', ''],
  ['JWKS_URL', undefined],
  ['JWKS_URL', 'not a URL'],
  ['CARD_KEYS', undefined],
  ['CARD_KEYS', ''],
  ['CORS_ORIGINS', 'https://example.com/path'],
  ['RATE_LIMIT_BURST_CAPACITY', 'many'],
  ['RATE_LIMIT_BURST_CAPACITY', '501'],
  ['RATE_LIMIT_REPLENISH_RATE', '0'],
  ['RATE_LIMIT_READ_COST', '-1'],
  ['RATE_LIMIT_WRITE_COST', '2147483648'],
  ['RATE_LIMIT_DEADLINE_MS', '0'],
  ['RATE_LIMIT_FIRST_DEADLINE_MS', '249'],
  ['RATE_LIMIT_JURISDICTION', 'de'],
]

/** Malformed rings of keys: the log says so and shows nothing of them. */
const rings = [
  'hunter2',
  '{}',
  JSON.stringify({ current: 'a', keys: { b: 'B'.repeat(43) } }),
  JSON.stringify({ current: 'short', keys: { short: 'QUJD' } }),
]

/** Variables whose absence means their default. */
const optional = [
  'ROOT_PATH',
  'CORS_ORIGINS',
  'RATE_LIMIT_BURST_CAPACITY',
  'RATE_LIMIT_REPLENISH_RATE',
  'RATE_LIMIT_READ_COST',
  'RATE_LIMIT_WRITE_COST',
]

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
  ...rings.map((ring, index) =>
    row(
      `CARD_KEYS is no ring of keys (${index + 1})`,
      { CARD_KEYS: ring },
      broken,
      'ring of card keys',
    ),
  ),
  ...optional.map((name) => row(`${name} is missing`, { [name]: undefined }, success)),
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
