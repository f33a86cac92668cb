import { type Operation, transaction } from './operations.ts'
import type { DatabaseFault } from './plan.ts'
import { type Expected, failed, isWrite, type Row, success } from './rows.ts'

const always = 99

/** Failures after which the same statements may be sent again (contract, section 14). */
const transient = [
  'Network connection lost.',
  'Internal error while starting up D1 DB storage caused object to be reset.',
  'D1 DB reset because its code was updated.',
  'Cannot resolve D1 DB due to transient issue on remote node.',
  "Can't read from request stream because client disconnected.",
]

/** Failures after which sending again would make matters worse, or the same. */
const final = [
  'D1 DB is overloaded. Requests queued for too long.',
  'D1 DB is overloaded. Too many requests queued.',
  'D1 DB storage operation exceeded timeout which caused object to be reset.',
  'D1 DB exceeded its memory limit and was reset.',
  'D1 DB exceeded its CPU time limit and was reset.',
]

/** Failures of a statement that no request may cause: the service's own fault. */
const impossible = [
  'UNIQUE constraint failed: users.id: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)',
  'NOT NULL constraint failed: users.email: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_NOTNULL)',
  'CHECK constraint failed: length(id): SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_CHECK)',
  'too many SQL variables at offset 512: SQLITE_ERROR',
  'statement too long: SQLITE_TOOBIG',
  'LIKE or GLOB pattern too complex: SQLITE_ERROR',
  'datatype mismatch: SQLITE_MISMATCH',
  'no such table: users: SQLITE_ERROR',
]

/** Constraints that a write may meet, and no longer meets when it is sent behind its probe a moment later. */
const passing = [
  'FOREIGN KEY constraint failed: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_FOREIGNKEY)',
  'UNIQUE constraint failed: users.email_key: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)',
]

/** Failures by intent, as a write meets them when somebody else was quicker: the first edit of a batch is named. */
const intended = [
  ['absent ', 404, 'NOT_FOUND'],
  ['foreign ', 403, 'INSUFFICIENT_ENTITLEMENTS'],
  ['stale ', 412, 'PRECONDITION_FAILED'],
  ['taken email;', 409, 'CONFLICT'],
  ['full ', 409, 'CONFLICT'],
  ['linked ', 409, 'CONFLICT'],
] as const

const lost = 'Network connection lost.'

/** D1 at fault. Each row's Worker has read nothing yet, so that reference data are not in memory either. */
export const databaseRows: readonly Row[] = [
  ...transient.flatMap((message) => [
    row(`refused once: ${message}`, { kind: 'refused', message, times: 1 }, retried, message),
    row(
      `refused always: ${message}`,
      { kind: 'refused', message, times: always },
      (operation) => ({ ...failed(), ...(isWrite(operation) && { calls: 3 }) }),
      message,
    ),
  ]),
  ...[...final, ...impossible].map((message) =>
    row(`refused: ${message}`, { kind: 'refused', message, times: always }, failed, message),
  ),
  ...final.map((message) =>
    row(
      `refused, sent once only: ${message}`,
      { kind: 'refused', message, times: 1 },
      (operation) => ({ ...failed(), ...(isWrite(operation) && { calls: 1 }) }),
      message,
    ),
  ),
  ...passing.map((message) =>
    row(
      `refused once: ${message}`,
      { kind: 'refused', message, times: 1 },
      // A transaction has its probes from the start: nothing is left that could refuse it.
      (operation) =>
        isWrite(operation) && !operation.name.startsWith(transaction)
          ? { ...success(operation), calls: 2 }
          : failed(),
    ),
  ),
  // No reference keeps a resource from being deleted, and a missing target has a reason of its own, so that the service is at fault.
  ...passing.map((message) =>
    row(`refused always: ${message}`, { kind: 'refused', message, times: always }, failed),
  ),
  ...intended.map(([reason, status, code]) =>
    row(
      `refused by intent: ${reason}`,
      {
        kind: 'refused',
        message: `bad JSON path: 'edit0:${reason}': SQLITE_ERROR`,
        times: always,
      },
      (operation): Expected => (isWrite(operation) ? { status, code, stored: 'before' } : failed()),
    ),
  ),
  ...[1, 2, 3, 4].map((nth) =>
    row(`statement ${nth} of the batch fails`, { kind: 'statement', nth }, (operation) =>
      // Reference data are loaded by a batch too, of two statements.
      nth <= (operation.kept ? 2 : operation.statements) ? failed() : success(operation),
    ),
  ),
  row('answer lost once', { kind: 'lost', message: lost, times: 1 }, retried, lost),
  row('answer lost twice', { kind: 'lost', message: lost, times: 2 }, retried, lost),
  row(
    'answer lost always',
    { kind: 'lost', message: lost, times: always },
    // The write is done once and not three times, though no answer tells that it is done.
    (operation) => ({ ...failed(), stored: isWrite(operation) ? 'after' : 'before' }),
    lost,
  ),
  row(
    'answer lost, not transient',
    { kind: 'lost', message: final[2] ?? '', times: 1 },
    (operation) => ({
      ...failed(),
      stored: isWrite(operation) ? 'after' : 'before',
    }),
  ),
  row('slow by 100 ms a call', { kind: 'slow', milliseconds: 100 }, success),
  row('slow by 1,500 ms a call', { kind: 'slow', milliseconds: 1_500 }, success),
  ...(['false', 'true'] as const).flatMap((replicated) =>
    (['before', 'after'] as const).flatMap((when) =>
      [1, always].map((times) => hanging({ when, times, replicated })),
    ),
  ),
]

/**
 * D1 does not answer: first while nothing is in memory, then while countries and currencies are, then while those are
 * due for reloading.
 */
function hanging(fault: {
  readonly when: 'before' | 'after'
  readonly times: number
  readonly replicated: 'true' | 'false'
}): Row {
  const { when, times, replicated } = fault
  const database: DatabaseFault = { kind: 'hangs', when, times }
  const cold = (operation: Operation): Expected => ({
    ...failed(),
    ...(!operation.kept && { calls: 1 }),
    stored: isWrite(operation) ? when : 'before',
  })
  const warm = (operation: Operation): Expected =>
    operation.kept === true ? success(operation) : cold(operation)
  const often = times === 1 ? 'once' : 'always'
  return {
    group: 'D1',
    name: `hangs ${when} the work is done, ${often}${replicated === 'true' ? ', in sessions' : ''}`,
    vars: { D1_DEADLINE_MS: '300', D1_REPLICATION: replicated },
    phases: [
      { name: 'cold', plan: { database }, expected: cold },
      { name: 'mended', expected: success },
      { name: 'warm', plan: { database }, expected: warm },
      { name: 'due for reloading', plan: { database, ahead: 6 * 60_000 }, expected: warm },
    ],
    logged: 'D1 has not answered within 300 ms',
  }
}

/** Writes are sent again; reads are not: D1 has tried those three times itself. */
function retried(operation: Operation): Expected {
  return isWrite(operation) ? success(operation) : failed()
}

function row(
  name: string,
  database: DatabaseFault,
  expected: (operation: Operation) => Expected,
  logged?: string,
): Row {
  return {
    group: 'D1',
    name,
    phases: [{ name: 'cold', plan: { database }, expected }],
    ...(logged !== undefined && { logged }),
  }
}
