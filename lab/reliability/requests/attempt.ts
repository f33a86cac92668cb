import { randomUUID } from 'node:crypto'
import { allScopes } from '../../../test/bench/issuer.ts'
import { isHostile } from '../../../test/fuzz/mutations.ts'
import type { Received, Sent } from '../../../test/fuzz/send.ts'
import {
  type Credential,
  clientCredential,
  personCredential,
  wrongCredential,
} from '../../../test/fuzz/tokens.ts'
import { isTransaction } from '../../../test/fuzz/transactions.ts'
import { filled } from '../../../test/fuzz/values.ts'
import { createUser, type World } from '../../../test/fuzz/world.ts'
import type { Operation } from './description.ts'
import type { Draft } from './drafts.ts'

/** A request as it was made, and what its answer may be. */
export interface Attempt {
  readonly operation: Operation
  readonly sent: Sent
  readonly credential: Credential
  /** Statuses that are right; `undefined` where more than one thing may be. */
  readonly expected: readonly number[] | undefined
  /** What was wrong with the request, for the report. */
  readonly wrongs: readonly string[]
}

/** Whoever makes the requests of one operation, one after the other. */
export interface Actor {
  readonly sub: string
  /** The user that they own, if it is still there. */
  own: string | undefined
}

interface Refusal {
  /** Its place in the order of checks: the first one decides. */
  readonly rank: number
  readonly statuses: readonly number[]
  readonly why: string
}

/** The errors that a request can still get after validation: of its resource, its owner, its targets and conflicts. */
const validation = [400, 403, 404, 409]

/** The longest query string, in characters. The interface description tells it in words. */
const maxQueryLength = 4_096

/** Makes a request of a draft. */
export async function attemptOf(
  world: World,
  operation: Operation,
  actor: Actor,
  draft: Draft,
): Promise<Attempt> {
  const refusals: Refusal[] = []
  const refuse = (rank: number, statuses: readonly number[], why: string): void => {
    refusals.push({ rank, statuses, why })
  }
  const credential = await credentialOf(world, operation, actor, draft)
  if (credential.status === 401) {
    refuse(2, [401], credential.name)
  } else if (credential.status === 403) {
    refuse(3, [403], credential.name)
  }
  if (!draft.accept.isGood) {
    refuse(1, [406], `Accept ${draft.accept.value}`)
  }
  const hasId = operation.path.includes('{id}')
  const transacts = isTransaction(operation)
  const id =
    hasId || transacts
      ? await idOf(world, operation, actor, transacts ? { target: 'own' } : draft)
      : ''
  if (draft.ifMatch !== undefined && (transacts || draft.ifMatch !== '*')) {
    refuse(6, [transacts ? 400 : 412], `If-Match ${draft.ifMatch}`)
  }
  if (hasId && typeof draft.target === 'object') {
    refuse(5, [400, 404], 'the id')
  } else if (hasId && draft.target === 'unknown') {
    refuse(6, [404], 'an id that nobody has')
  } else if (draft.target === 'other' && operation.method !== 'GET' && hasId) {
    refuse(6, [403], "somebody else's user")
  }
  for (const { value, isGood } of draft.query) {
    if (!isGood) {
      refuse(5, validation, `?${value}`)
    }
  }
  let body: Uint8Array | undefined
  if (operation.body && draft.body) {
    if (!draft.contentType.isGood) {
      refuse(4, [415], `Content-Type ${draft.contentType.value}`)
    }
    if (draft.body.kind === 'raw') {
      body = Buffer.from(draft.body.text, 'latin1')
      refuse(
        draft.body.text === '' ? 3.5 : 5,
        draft.body.text === '' ? [400, 415] : validation,
        'no document',
      )
    } else {
      const document = filled(draft.body.body, decoded(id), randomUUID())
      body = Buffer.from(JSON.stringify(document))
      if (isHostile(document) || !operation.body.isValid(document)) {
        refuse(5, validation, 'the body')
      }
    }
  }
  const query = draft.query.map(({ value }) => value).join('&')
  if (new URL(`http://x/?${query.replaceAll('#', '')}`).search.length - 1 > maxQueryLength) {
    refuse(4.5, [400], 'a query string that is too long')
  }
  const headers = [
    ...(draft.accept.value === undefined ? [] : [['Accept', draft.accept.value] as const]),
    ...credential.values.map((value) => ['Authorization', value] as const),
    ...(body && draft.contentType.value !== undefined
      ? [['Content-Type', draft.contentType.value] as const]
      : []),
    ...(draft.ifMatch === undefined ? [] : [['If-Match', draft.ifMatch] as const]),
    ...draft.headers,
  ]
  const [first] = [...refusals].sort((a, b) => a.rank - b.rank)
  const statuses = refusals.filter(({ rank }) => rank === first?.rank || rank >= 5)
  const isMutated = draft.body?.kind === 'json' && !draft.body.isWhole
  return {
    operation,
    credential,
    wrongs: refusals.map(({ why }) => why),
    expected: first
      ? first.rank >= 5
        ? [
            ...new Set([
              ...statuses.flatMap((refusal) => refusal.statuses),
              ...(isMutated ? validation : []),
            ]),
          ]
        : first.statuses
      : isMutated
        ? undefined
        : successes(operation),
    sent: {
      method: operation.method,
      path: `${world.root}${operation.path.replace('{id}', id)}${query && `?${query}`}`,
      headers,
      ...(body && { body }),
    },
  }
}

/** What an answer tells for the next request. */
export function learn(actor: Actor, { operation }: Attempt, { status }: Received): void {
  const isDeleted =
    operation.method === 'DELETE' && status === 204 && operation.path.endsWith('{id}')
  // A transaction that has lost the name of a relationship on its way may remove the user.
  if (isDeleted || (isTransaction(operation) && status < 300)) {
    actor.own = undefined
  }
}

function successes({ responses }: Operation): number[] {
  return Object.keys(responses)
    .map(Number)
    .filter((status) => status < 400)
}

async function credentialOf(
  { sign }: World,
  { scopes, takesClients }: Operation,
  { sub }: Actor,
  { who }: Draft,
): Promise<Credential> {
  switch (who.kind) {
    case 'client':
      return clientCredential(sign, takesClients)
    case 'wrong':
      return wrongCredential(sign, sub, who.name)
    case 'person':
      return personCredential(sign, sub, who.scopes, takesClients ? [] : scopes)
  }
}

async function idOf(
  world: World,
  operation: Operation,
  actor: Actor,
  { target }: Pick<Draft, 'target'>,
): Promise<string> {
  const [, first = ''] = operation.path.split('/')
  const type = isTransaction(operation) ? 'users' : first
  if (typeof target === 'object') {
    return target.hostile
  }
  if (target === 'unknown') {
    return type === 'users' ? randomUUID() : 'QQ'
  }
  if (type === 'users' && target === 'own') {
    actor.own ??= await createUser(
      world.send,
      world.root,
      await world.sign({ sub: actor.sub, scope: allScopes }),
      {
        fullName: 'Fuzz',
        email: `${randomUUID()}@example.com`,
      },
    )
    return actor.own
  }
  return type === 'users' ? world.victim : (world.ids[type]?.[0] ?? '1')
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id)
  } catch {
    return 'x'
  }
}
