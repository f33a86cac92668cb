import type { Example, Examples } from '../../../../src/openapi/components.ts'
import { demoData } from '../../../support/databases.ts'
import {
  type Answer,
  type BackDoor,
  blockedSubject,
  blockingService,
  brokenService,
  clientToken,
  person,
  request,
  slowService,
  tokenFor,
  variant,
} from '../../../support/service.ts'
import { description, operations } from '../openapi.ts'
import { codesOf, type DescribedOperation } from '../read-description.ts'
import { documentedRequest, type Sent, scopes, urlOf } from './documented.ts'
import { type Faulty, faults } from './faults.ts'

/** John Doe of the demo people: the owner of the user that documented requests are about. */
const owner = '1'

/** A service of demo people that nobody else uses, and Workers that refuse or fail in ways in which the usual one does not. */
export interface Stage {
  readonly usual: BackDoor
  readonly slow: BackDoor
  readonly broken: BackDoor
  readonly blocking: BackDoor
}

/** Starts what examples are recorded from. */
export async function openStage(): Promise<Stage> {
  const [usual, slow, broken, blocking] = await Promise.all([
    // Large buckets: everything is asked by one person.
    variant({ RATE_LIMIT_BURST_CAPACITY: '500' }),
    slowService(),
    brokenService(),
    blockingService(),
  ])
  return { usual, slow, broken, blocking }
}

/** The origins of services whose demo people are as they are after a start. */
const unchanged = new Set<string>()

/** Puts the demo people back as they are after a start. */
async function reset({ batch, origin }: BackDoor): Promise<void> {
  if (unchanged.has(origin)) {
    return
  }
  unchanged.add(origin)
  const statements = await demoData()
  await batch([['DELETE FROM users'], ...statements.map((sql) => [sql] as const)])
}

/** Sends a request to one of the services. */
export function send(sent: Sent, token: string | undefined, { origin }: BackDoor): Promise<Answer> {
  const { method, headers, body } = sent
  if (method !== 'GET') {
    unchanged.delete(origin)
  }
  return request(method, `/jsonapi${urlOf(sent)}`, {
    token,
    origin,
    headers,
    ...(body !== undefined && { body }),
  })
}

/** Sends the documented request of an operation as it stands, to a service of demo people that nobody has changed. */
async function sendDocumented(operation: DescribedOperation, { usual }: Stage) {
  return send(documentedRequest(operation), await ownerOfUnchanged(usual), usual)
}

/** Puts the demo people back, and returns a token of the owner of the user that documented requests are about. */
export async function ownerOfUnchanged(service: BackDoor): Promise<string> {
  await reset(service)
  return person(owner, scopes)
}

/** Sends a request that is to fail. */
async function sendFaulty(faulty: Faulty, stage: Stage): Promise<Answer> {
  const { sent, caller, service = 'usual', citizenships = 0 } = faulty
  const at = stage[service]
  if (service === 'usual') {
    await reset(at)
  }
  if (citizenships > 0) {
    unchanged.delete(at.origin)
    await at.query(
      'INSERT OR IGNORE INTO user_citizenships SELECT ?1, id FROM countries LIMIT ?2',
      owner,
      citizenships,
    )
  }
  const tokens = {
    nobody: async () => undefined,
    expired: () => tokenFor({ sub: owner, scope: scopes, expiresIn: -60 }),
    client: () => clientToken(),
    blocked: () => person(blockedSubject, scopes),
    owner: () => person(owner, scopes),
  }
  const token = await tokens[caller ?? 'owner']()
  let answer = await send(sent, token, at)
  // A small bucket is empty after a few requests.
  for (let tries = 0; service === 'slow' && answer.status !== 429 && tries < 30; tries++) {
    answer = await send(sent, token, at)
  }
  return answer
}

/** A request in one line, as the summary of an example. */
function summaryOf({ sent, caller, service }: Faulty): string {
  const { accept, 'content-type': type, 'if-match': match } = sent.headers
  const said = [
    caller &&
      {
        nobody: 'without a token',
        expired: 'with an expired token',
        client: 'by a client',
        blocked: 'by a blocked caller',
      }[caller],
    service &&
      {
        slow: 'with an empty bucket',
        broken: 'while no token can be checked',
        blocking: undefined,
      }[service],
    accept !== undefined && !accept.includes('json') && `for ${accept}`,
    type === 'application/json' && `with a body of ${type}`,
    match && match !== '*' && `if it matches ${match}`,
  ].filter(Boolean)
  return [`${sent.method} ${decodeURIComponent(urlOf(sent))}`, ...said].join(' ')
}

/** The name of a response that operations share. */
function nameOf({ path, method }: DescribedOperation, status: string): string {
  const { $ref } = description.paths[path][method.toLowerCase()].responses[status]
  return String($ref).split('/').at(-1) ?? ''
}

/**
 * Asks the service for every success and every error that the description has, each error as the first operation that
 * can end in it does.
 *
 * @throws Error where a request does not end as it should
 */
export async function recordExamples(stage: Stage): Promise<Examples> {
  const answers: Record<string, unknown> = {}
  const errors: Record<string, Record<string, Example>> = {}
  for (const operation of operations) {
    const success = Object.entries(operation.responses).find(([status]) => Number(status) < 300)
    const answer = await sendDocumented(operation, stage)
    if (String(answer.status) !== success?.[0]) {
      throw new Error(`${operation.operationId} as documented is ${answer.status}: ${answer.text}`)
    }
    if (success[1].content) {
      answers[operation.operationId] = answer.document
    }
    for (const status of Object.keys(operation.responses).filter((one) => Number(one) >= 400)) {
      const name = nameOf(operation, status)
      errors[name] ??= await recordErrors(operation, status, stage)
    }
  }
  return { answers, errors }
}

async function recordErrors(operation: DescribedOperation, status: string, stage: Stage) {
  const recorded: Record<string, Example> = {}
  const { schema = {} } = operation.responses[status]?.content?.['application/vnd.api+json'] ?? {}
  for (const code of codesOf(schema)) {
    const faulty = faults[code]?.(documentedRequest(operation), status, operation)
    if (!faulty) {
      throw new Error(`No request is known that ends in ${code}: add one to faults.ts`)
    }
    const { status: got, document, text } = await sendFaulty(faulty, stage)
    if (String(got) !== status || !document.errors?.some((error) => error.code === code)) {
      throw new Error(`${summaryOf(faulty)} is not ${status} ${code}: ${text}`)
    }
    recorded[code] = { summary: summaryOf(faulty), value: document }
  }
  return recorded
}
