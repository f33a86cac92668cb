import { describe, expect, it } from 'vitest'
import {
  allScopes,
  change,
  createUser,
  newUser,
  toBrothers,
  toCountries,
} from '../../support/people.ts'
import {
  type Answer,
  blockedSubject,
  clientToken,
  person,
  request,
  slowService,
  uniquePerson,
  variant,
} from '../../support/service.ts'
import { promisedStatuses } from './contract.ts'
import { documentedRequest, type Sent } from './documented.ts'
import { operations } from './openapi.ts'
import type { DescribedOperation } from './read-description.ts'

/**
 * Workers that answer what the usual one does not: they have no key to check a token with, a small bucket, somebody to refuse and room
 * for one member.
 */
const { origin: broken } = await variant({ JWKS_URL: 'https://down.example/jwks' })
const { origin: slow } = await slowService()
/** Somebody whose small bucket is soon empty. */
const { token: hasty } = await uniquePerson(allScopes)

/** What a request differs in from one that succeeds. */
type Change = Partial<Pick<Sent, 'method' | 'headers' | 'body'>> &
  Readonly<Partial<Record<'search' | 'id' | 'token' | 'origin', string>>>

/** Sends a request that would succeed without the change, as the owner of a user that only this request uses. */
async function send(operation: DescribedOperation, other: Change = {}): Promise<Answer> {
  const own = operation.path.startsWith('/users/') && !other.id ? await createUser() : undefined
  const { id = own?.id, search = '', origin } = other
  const { method, path, headers, body } = documentedRequest(operation)
  const target = id === undefined ? path : operation.path.replace('{id}', id)
  return request(other.method ?? method, `/jsonapi${target}${search}`, {
    token: other.token ?? own?.token ?? (await uniquePerson(allScopes)).token,
    body: 'body' in other ? other.body : (bodies[operation.operationId]?.(id) ?? body),
    headers: { ...headers, ...other.headers },
    ...(origin && { origin }),
  })
}

/** Does the operation take any valid token, but for those of blocked callers? */
function takesAnyToken({ security }: DescribedOperation): boolean {
  return security.some((scheme) => 'Client_Credentials' in scheme)
}

/** A transaction that adds what bodies hold. */
function transactionOf(...users: readonly { readonly data: unknown }[]) {
  return { 'atomic:operations': users.map(({ data }) => ({ op: 'add', data })) }
}

/** Bodies in place of the examples of the description: about the user of the path, or with an e-mail address that is not taken. */
const bodies: Readonly<Record<string, (id?: string) => unknown>> = {
  sendOperations: () => transactionOf(newUser()),
  createUser: () => newUser(),
  updateUser: (id = '') => change(id, {}),
}

const twice = newUser()
const otherType = { data: { ...twice.data, type: 'countries' } }
const bornNowhere = newUser({
  relationships: { placeOfBirth: { data: { type: 'countries', id: 'nowhere' } } },
})

/** Two members, to a relationship that takes one. */
async function tooManyMembers(path: string): Promise<Change> {
  const { id, token } = await createUser({}, slow)
  const body = path.endsWith('relatives') ? toBrothers('1', '2') : toCountries('NO', 'SE')
  return { origin: slow, id, token, body }
}

/** What a request has to differ in to get a status, on any operation that describes it. A success is what it gets anyway. */
const changes: Readonly<
  Record<string, (operation: DescribedOperation) => Promise<Change> | Change>
> = {
  400: () => ({ search: '?unknown=1' }),
  401: () => ({ token: 'none' }),
  403: async (operation) =>
    takesAnyToken(operation)
      ? { origin: slow, token: await person(blockedSubject, allScopes), id: 'any' }
      : { token: await clientToken() },
  404: ({ path }) =>
    path.includes('{id}')
      ? { id: 'nobody' }
      : { body: path === '/operations' ? transactionOf(bornNowhere) : bornNowhere },
  405: () => ({ method: 'PUT' }),
  406: () => ({ headers: { accept: 'text/plain' } }),
  409: ({ method, path }) =>
    path === '/operations'
      ? { body: transactionOf(twice, twice) }
      : path.includes('relationships')
        ? tooManyMembers(path)
        : { body: method === 'POST' ? otherType : change('another', {}) },
  412: () => ({ headers: { 'if-match': '"x.y"' } }),
  415: () => ({ body: '{}', headers: { 'content-type': 'application/json' } }),
  500: () => ({ origin: broken, id: 'any' }),
}

/** A read of something whose tag the caller has. */
async function sendWithTag(operation: DescribedOperation): Promise<Answer> {
  const { token } = await uniquePerson(allScopes)
  // Other tests add users to the whole list at the same time.
  const search = operation.operationId === 'listUsers' ? '?filter[id]=1' : ''
  const read = { token, search, ...(operation.path.startsWith('/users/') && { id: '1' }) }
  const { headers } = await send(operation, read)
  return send(operation, { ...read, headers: { 'if-none-match': String(headers.etag) } })
}

/** The bucket holds ten tokens: two writes or ten reads, and one token more for each second that has passed. */
async function sendOften(operation: DescribedOperation): Promise<Answer> {
  const again = () => send(operation, { token: hasty, origin: slow, id: 'any' })
  let answer = await again()
  for (let tries = 1; tries < 30 && answer.status !== 429; tries++) {
    answer = await again()
  }
  return answer
}

describe.each(operations)('$operationId', (operation) => {
  it.each(promisedStatuses(operation))('reaches %s, as the contract says', async (status) => {
    const way = status === '304' ? sendWithTag : status === '429' ? sendOften : undefined
    const answer = way
      ? await way(operation)
      : await send(operation, await changes[status]?.(operation))
    expect(String(answer.status)).toBe(status)
  })
})
