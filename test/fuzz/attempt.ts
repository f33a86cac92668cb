import { randomUUID } from 'node:crypto'
import { allScopes } from '../bench/issuer.ts'
import type { Operation } from './description.ts'
import type { Draft, Twist } from './drafts.ts'
import { isHostile, mutate } from './mutations.ts'
import type { Received, Sent } from './send.ts'
import { type Credential, clientCredential, personCredential, wrongCredential } from './tokens.ts'
import { isTransaction } from './transactions.ts'
import { filled } from './values.ts'
import { createUser, type World } from './world.ts'

/** A request as it was made, and what its answer may be. */
export type Attempt = Awaited<ReturnType<typeof attemptOf>>

/** Whoever makes the requests of one operation, one after the other. */
export interface Actor {
  readonly sub: string
  /** The user that they own, if it is still there. */
  own: string | undefined
}

/** The errors of validation and of what comes after it: of the resource, its owner, its targets, and conflicts. */
const refusals = [400, 403, 404, 409]

/** Makes a request of a draft. */
export async function attemptOf(world: World, operation: Operation, actor: Actor, draft: Draft) {
  const { twist } = draft
  const credential = await credentialOf(world, operation, actor, twist)
  const id = await idOf(world, operation, actor, twist)
  const query = [...draft.query, ...(twist.kind === 'query' ? [twist.value] : [])].join('&')
  const body = bodyOf(draft, id)
  const type = twist.kind === 'type' ? twist.value : draft.type
  const headers = [
    ['Accept', twist.kind === 'accept' ? twist.value : draft.accept],
    ...credential.values.map((value) => ['Authorization', value] as const),
    ['Content-Type', body === undefined ? undefined : type || undefined],
    ['If-Match', twist.kind === 'match' ? twist.value : undefined],
    ...draft.headers,
  ] as const
  const sent: Sent = {
    method: operation.method,
    path: `${world.root}${operation.path.replace('{id}', id)}${query && `?${query}`}`,
    headers: headers.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ...(body !== undefined && { body }),
  }
  /** Statuses that are right. */
  const expected = expectedOf(operation, draft, credential, body)
  return { operation, sent, credential, expected, twist }
}

/** What an answer tells for the next request. */
export function learn(actor: Actor, { operation }: Attempt, { status }: Received): void {
  const isDeleted = operation.method === 'DELETE' && operation.path.endsWith('{id}')
  if ((isDeleted || isTransaction(operation)) && status < 300) {
    actor.own = undefined
  }
}

/** The statuses that the twist leads to. */
function expectedOf(
  operation: Operation,
  { twist, headers }: Draft,
  credential: Credential,
  body: Uint8Array | undefined,
): readonly number[] {
  const right = rightOf(operation, headers)
  switch (twist.kind) {
    case 'none':
      return right
    case 'token':
      return [401]
    case 'client':
    case 'scopes':
      return credential.status === 403 ? [403] : right
    case 'accept':
      return [406]
    case 'type':
      return [415]
    case 'match':
      return [isTransaction(operation) ? 400 : 412]
    case 'id':
      return [400, 404]
    case 'unknown':
      return [404]
    case 'other':
      return operation.method === 'GET' ? right : [403]
    case 'query':
      return [400]
    case 'raw':
      return twist.value === '' ? [400, 415] : [400]
    case 'mutation':
      // Whether an accepted body is as described is checked with the answer.
      return isHostile(JSON.parse(Buffer.from(body ?? []).toString()))
        ? refusals
        : [...right, ...refusals]
  }
}

/** The statuses of a request without a twist: a condition that a write does not meet is not met on purpose. */
function rightOf(operation: Operation, headers: Draft['headers']): readonly number[] {
  const condition = headers
    .flatMap(([name, value]) => (name === 'If-None-Match' ? [value] : []))
    .join(', ')
  if (isTransaction(operation) && condition !== '') {
    return [400]
  }
  if (operation.method !== 'GET' && condition === '*') {
    return [412]
  }
  const statuses = Object.keys(operation.responses).map(Number)
  return statuses.filter((status) => status < 400)
}

async function credentialOf(
  { sign }: World,
  { scopes, takesClients }: Operation,
  { sub }: Actor,
  twist: Twist,
): Promise<Credential> {
  switch (twist.kind) {
    case 'client':
      return clientCredential(sign, takesClients)
    case 'token':
      return wrongCredential(sign, sub, twist.value)
    case 'scopes':
      return personCredential(sign, sub, twist.scopes, takesClients ? [] : scopes)
    default:
      return personCredential(sign, sub, allScopes.split(' '), [])
  }
}

/** The id in the path, or of the user that a transaction is about. */
async function idOf(
  world: World,
  operation: Operation,
  actor: Actor,
  twist: Twist,
): Promise<string> {
  const [, first = ''] = operation.path.split('/')
  const type = isTransaction(operation) ? 'users' : first
  if (twist.kind === 'id') {
    return twist.value
  }
  if (twist.kind === 'unknown') {
    return type === 'users' ? randomUUID() : 'QQ'
  }
  if (type !== 'users') {
    return world.ids[type]?.[0] ?? '1'
  }
  // With fewer rights one reads what belongs to somebody else.
  const isOthers = operation.method === 'GET' && ['scopes', 'client'].includes(twist.kind)
  if (twist.kind === 'other' || isOthers) {
    return world.victim
  }
  if (actor.own === undefined && (isTransaction(operation) || operation.path.includes('{id}'))) {
    const token = await world.sign({ sub: actor.sub, scope: allScopes })
    const attributes = { fullName: 'Fuzz', email: `${randomUUID()}@example.com` }
    actor.own = await createUser(world.send, world.root, token, attributes)
  }
  return actor.own ?? ''
}

function bodyOf({ body, twist }: Draft, id: string): Uint8Array | undefined {
  if (twist.kind === 'raw') {
    return Buffer.from(twist.value, 'latin1')
  }
  if (body === undefined) {
    return undefined
  }
  // What is no escape stays as it is.
  const plain = new URLSearchParams(`id=${id}`).get('id') ?? ''
  const changes = twist.kind === 'mutation' ? twist.changes : []
  const changed = changes.reduce<unknown>(
    (spoilt, [place, what]) => mutate(spoilt, place, what),
    body,
  )
  return Buffer.from(JSON.stringify(filled(changed, plain, randomUUID())))
}
