import { allScopes } from '../../../test/bench/issuer.ts'
import { before, type Operation, operations, type Person } from './operations.ts'
import { callsHeader, planHeader } from './plan.ts'
import type { Expected, Phase, Row } from './rows.ts'
import { type Stage, secondOf } from './stage.ts'

/** What a phase has shown: how many cells it has, and a sentence for everything that is not right. */
export interface Findings {
  readonly cells: number
  readonly faults: readonly string[]
}

/** Internal words that no answer may hold. */
const internal =
  /D1_|SQLITE|constraint|Network connection|object to be reset|Durable|overloaded|ring of|disk failure|\bat .*\.js|RATE_LIMIT_|CARD_KEYS|TOKEN_ISSUER|4242 4242|node:|TypeError/i

/** Milliseconds after which an answer counts as missing. */
const patience = 10_000

/** Plays one phase of a row: all operations at once, each on a person of its own. */
export async function play(
  stage: Stage,
  worker: string,
  row: Row,
  phase: Phase,
): Promise<Findings> {
  const people = await stage.people(operations.length)
  const isolate = phase.isolate === 'second' ? secondOf(worker) : worker
  stage.keys.set(worker, phase.keys ?? 'good')
  stage.keys.takeCount(worker)
  const all = await Promise.all(
    operations.map((operation, index) => {
      const person = people[index]
      if (!person) {
        throw new Error('There are fewer people than operations')
      }
      return cell(stage, isolate, phase, operation, person).catch((error) => ({
        faults: [`${operation.name}: no answer: ${error}`],
        again: nothing,
      }))
    }),
  )
  // Requests of an isolate share a load: the fault is over when all of them have met it.
  const later = await Promise.all(
    all.map(({ again }) =>
      again().catch((error) => [`no answer when the fault is over: ${error}`]),
    ),
  )
  const fetches = stage.keys.takeCount(worker)
  const { atLeast = 0, atMost = 1 } = phase.fetches ?? {}
  const wrongFetches =
    fetches < atLeast || fetches > atMost ? [`${fetches} requests for the key set`] : []
  const silent =
    row.logged && !stage.logs().some((line) => line.includes(row.logged ?? ''))
      ? [`nothing in the log tells of "${row.logged}"`]
      : []
  return {
    cells: operations.length,
    faults: [
      ...all.flatMap(({ faults }) => faults),
      ...later.flat(),
      ...wrongFetches,
      ...silent,
    ].map((fault) => `${row.group}: ${row.name} (${phase.name}): ${fault}`),
  }
}

/** What is wrong with one request, and with the same request when the fault is over. */
interface Cell {
  readonly faults: readonly string[]
  readonly again: () => Promise<readonly string[]>
}

const nothing: Cell['again'] = async () => []

async function cell(
  stage: Stage,
  worker: string,
  phase: Phase,
  operation: Operation,
  person: Person,
): Promise<Cell> {
  const faults: string[] = []
  const check = (good: boolean, fault: string): void => {
    if (!good) {
      faults.push(`${operation.name}: ${fault}`)
    }
  }
  const token = await stage.sign[phase.tokens ?? 'good']({
    sub: person.sub,
    scope: allScopes,
    expiresIn: 48 * 3600,
  })
  const send = (plan: Phase['plan']) => {
    const body = operation.body?.(person)
    return stage.send(worker, `/jsonapi${operation.path(person)}`, {
      method: operation.method,
      signal: AbortSignal.timeout(patience),
      headers: {
        Accept: 'application/vnd.api+json',
        Authorization: `Bearer ${token}`,
        [planHeader]: JSON.stringify(plan ?? {}),
        ...(operation.key && { 'Idempotency-Key': operation.key(person) }),
        ...(body !== undefined && { 'Content-Type': 'application/vnd.api+json' }),
        ...operation.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }
  const expected = phase.expected(operation)
  const response = await send(phase.plan)
  const text = await response.text()
  for (const fault of answerFaults(response, text, expected)) {
    check(false, fault)
  }
  const wanted = (expected.stored === 'after' && operation.after) || before
  const stored = await stage.stored(person)
  check(same(stored, wanted), `stored is ${JSON.stringify(stored)}, not ${JSON.stringify(wanted)}`)
  const isDone = expected.stored === 'after'
  if (expected.status < 500 || (isDone && !operation.key) || !phase.plan?.database) {
    return { faults, again: nothing }
  }
  // When the fault is over, the same request does what it failed to do: nothing was left behind in its way. With a key it may have been
  // done already, its answer lost on every attempt: then it is not done again, and its answer comes at last.
  const again = async (): Promise<string[]> => {
    const response = await send({})
    await response.arrayBuffer()
    const now = await stage.stored(person)
    return [
      ...(response.status === operation.success
        ? []
        : [`${response.status} when the fault is over`]),
      ...(same(now, operation.after ?? before) ? [] : ['stored wrong afterwards']),
      ...(operation.key && response.headers.has('idempotency-replayed') !== isDone
        ? [
            isDone
              ? 'done twice, or not marked as replayed'
              : 'marked as replayed at its first success',
          ]
        : []),
    ].map((fault) => `${operation.name}: ${fault}`)
  }
  return { faults, again }
}

function answerFaults(response: Response, text: string, expected: Expected): string[] {
  const header = (name: string): string | null => response.headers.get(name)
  const faults: string[] = []
  const check = (good: boolean, fault: string): void => {
    if (!good) {
      faults.push(fault)
    }
  }
  check(
    response.status === expected.status,
    `${response.status}, not ${expected.status}: ${text.slice(0, 300)}`,
  )
  if (expected.code !== undefined) {
    const errors = text.startsWith('{') ? JSON.parse(text).errors : undefined
    const [error] = errors ?? []
    check(error?.code === expected.code, `code ${error?.code}, not ${expected.code}`)
    check(Boolean(error?.id), 'the error has no id')
    check(header('content-type') === 'application/vnd.api+json', 'no JSON:API document')
    check(!internal.test(text), `the answer tells of the inside: ${text.slice(0, 300)}`)
  }
  if (expected.status === 200 || expected.status === 201) {
    const document = text.startsWith('{') ? JSON.parse(text) : {}
    check('data' in document || 'atomic:results' in document, 'no document with data')
  }
  if (expected.retryAfter !== undefined) {
    check(
      Number(header('retry-after')) >= 1 === expected.retryAfter,
      `Retry-After is ${header('retry-after')}`,
    )
  }
  if (expected.calls !== undefined) {
    check(
      header(callsHeader) === String(expected.calls),
      `${header(callsHeader)} calls of D1, not ${expected.calls}`,
    )
  }
  check(header('x-content-type-options') === 'nosniff', 'the security headers are missing')
  check(header('x-request-id') !== null, 'no X-Request-Id')
  return faults
}

function same(left: readonly string[], right: readonly string[]): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}
