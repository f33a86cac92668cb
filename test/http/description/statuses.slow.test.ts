import { beforeAll, describe, expect, it } from 'vitest'
import { createUser, toBrothers, toCountries } from '../../support/people.ts'
import {
  type Answer,
  blockedSubject,
  blockingService,
  brokenService,
  clientToken,
  person,
  request,
  slowService,
  uniquePerson,
  variant,
} from '../../support/service.ts'
import { atomicType } from '../../support/transactions.ts'
import { newUser } from '../api/writes/writers.ts'
import { operations } from './openapi.ts'
import { contentOf, type DescribedOperation, takesAnyToken } from './read-description.ts'
import { checkRequest, checkResponse } from './response-check.ts'

const scopes = 'users.read users.sensitive.read users.citizenships.read users.write'

/** Workers that answer what the usual one does not: they have no key to check a token with, a small bucket, somebody to refuse. */
let broken: string
let slow: string
let blocking: string
beforeAll(async () => {
  broken = (await brokenService()).origin
  slow = (await slowService()).origin
  blocking = (await blockingService()).origin
}, 60_000)

/** What a request differs in from one that succeeds. */
interface Change {
  readonly method?: string
  readonly search?: string
  readonly id?: string
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly origin?: string
}

/** Sends a request that would succeed without the change, as the owner of a user that only this request uses. */
async function send(operation: DescribedOperation, change: Change = {}): Promise<Answer> {
  const { path, requestBody } = operation
  const own = path.startsWith('/users/') && !change.id ? await createUser() : undefined
  const id = change.id ?? own?.id ?? exampleIdOf(operation)
  const method = change.method ?? operation.method
  const target = `/jsonapi${path.replace('{id}', id)}${change.search ?? ''}`
  const content = requestBody && contentOf(requestBody.content)
  const example = content?.example
  const isTransaction = content?.name === atomicType
  const types = { accept: atomicType, 'content-type': atomicType }
  const body = 'body' in change ? change.body : example && withId(example, operation, id)
  const answer = await request(method, target, {
    token: 'token' in change ? change.token : (own?.token ?? (await uniquePerson(scopes)).token),
    ...(body !== undefined && { body }),
    headers: { ...(isTransaction && types), ...change.headers },
    ...(change.origin && { origin: change.origin }),
  })
  const document = answer.text === '' ? undefined : JSON.parse(answer.text)
  checkResponse(method, target, answer.status, answer.headers, document)
  if (answer.status < 300 && body !== undefined) {
    checkRequest(method, target, body)
  }
  return answer
}

/** The example of the id in the path; any text where the path has none. */
function exampleIdOf({ parameters }: DescribedOperation): string {
  return String(parameters.find((one) => one.in === 'path')?.example ?? 'none')
}

/** The example of the description, about the user that it is sent to, and with an e-mail that is not taken. */
function withId(example: unknown, { operationId }: DescribedOperation, id: string): unknown {
  if (operationId === 'sendOperations') {
    return transactionOf(newUser())
  }
  const { data } = structuredClone(example) as { data: Record<string, Record<string, string>> }
  if (operationId === 'updateUser') {
    return { data: { ...data, id } }
  }
  if (operationId === 'createUser') {
    const email = `${crypto.randomUUID()}@example.com`
    return { data: { ...data, attributes: { ...data.attributes, email } } }
  }
  return { data }
}

/** A transaction of one operation that adds what a body holds. */
function transactionOf({ data }: { readonly data: unknown }) {
  return { 'atomic:operations': [{ op: 'add', data }] }
}

/** A transaction that adds the same user twice. */
function takenTwice() {
  const [operation] = transactionOf(newUser())['atomic:operations']
  return { 'atomic:operations': [operation, operation] }
}

const otherType = {
  data: { type: 'countries', attributes: { fullName: 'A', email: 'a@b.example' } },
}
const otherId = { data: { type: 'users', id: 'another' } }
const nowhere = { data: { type: 'countries', id: 'nowhere' } }
const bornNowhere = {
  data: {
    type: 'users',
    attributes: { fullName: 'A', email: 'nowhere@example.com' },
    relationships: { placeOfBirth: nowhere },
  },
}

/** Two members, to a relationship that takes one. */
async function tooManyMembers(path: string): Promise<Change> {
  const { origin } = await variant({ QUOTA_MEMBERS: '1' })
  const { id, token } = await createUser({}, origin)
  const body = path.endsWith('relatives') ? toBrothers('1', '2') : toCountries('NO', 'SE')
  return { origin, id, token, body }
}

/** How to reach each error on any operation that describes it. */
const errors: Readonly<
  Record<string, (operation: DescribedOperation) => Promise<Change> | Change>
> = {
  400: () => ({ search: '?unknown=1' }),
  401: () => ({ token: undefined }),
  403: async (operation) =>
    takesAnyToken(operation)
      ? { origin: blocking, token: await person(blockedSubject, scopes), id: 'any' }
      : { token: await clientToken() },
  404: ({ path }) =>
    path.includes('{id}')
      ? { id: 'nobody' }
      : { body: path === '/operations' ? transactionOf(bornNowhere) : bornNowhere },
  405: () => ({ method: 'PUT', body: undefined }),
  406: () => ({ headers: { accept: 'text/plain' } }),
  409: ({ method, path }) =>
    path === '/operations'
      ? { body: takenTwice() }
      : path.includes('relationships')
        ? tooManyMembers(path)
        : { body: method === 'POST' ? otherType : otherId },
  412: () => ({ headers: { 'if-match': '"x.y"' } }),
  415: () => ({ body: '{}', headers: { 'content-type': 'application/json' } }),
  500: () => ({ origin: broken, id: 'any' }),
}

describe.each(operations)('$operationId reaches each status that it describes', (operation) => {
  const statuses = Object.keys(operation.responses)

  it.each(statuses.filter((status) => status in errors))('reaches %s', async (status) => {
    const answer = await send(operation, await errors[status]?.(operation))

    expect(String(answer.status)).toBe(status)
  })

  it.each(statuses.filter((status) => Number(status) < 300))('reaches %s', async (status) => {
    const answer = await send(operation)

    expect(String(answer.status)).toBe(status)
  })

  it.each(statuses.filter((status) => status === '304'))('reaches %s', async () => {
    const id = operation.path.startsWith('/users') ? '1' : exampleIdOf(operation)
    const { token } = await uniquePerson(scopes)
    // Other tests add users to the whole list at the same time.
    const search = operation.operationId === 'listUsers' ? '?filter[id]=1' : ''
    const { headers } = await send(operation, { id, token, search })
    const answer = await send(operation, {
      id,
      token,
      search,
      headers: { 'if-none-match': String(headers.etag) },
    })

    expect(answer.status).toBe(304)
  })

  it('reaches 429', async () => {
    const { token } = await uniquePerson(scopes)
    const seen = new Set<number>()
    // The bucket holds ten tokens: two writes or ten reads, and one token more for each second that has passed.
    for (let tries = 0; tries < 30 && !seen.has(429); tries++) {
      seen.add((await send(operation, { token, origin: slow, id: 'any' })).status)
    }

    expect(seen).toContain(429)
  })

  it('describes no status that this file knows no way to', () => {
    const others = statuses.filter(
      (status) => !(status in errors) && !['304', '429'].includes(status) && Number(status) >= 300,
    )

    expect(others).toEqual([])
  })
})
