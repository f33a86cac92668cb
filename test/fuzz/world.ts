import { randomUUID } from 'node:crypto'
import { allScopes } from '../bench/issuer.ts'
import type { Sign } from '../support/signing-key.ts'
import { mediaType, type Operation } from './description.ts'
import { type Received, type Sent, send } from './send.ts'
import type { Ids } from './values.ts'

/** What the fuzzer drives, and what it knows to be there. */
export type World = Awaited<ReturnType<typeof createWorld>>

const headersOf = (token: string, type: 'Accept' | 'Content-Type') => [
  ['Authorization', `Bearer ${token}`] as const,
  [type, mediaType] as const,
]

/** Reads which resources exist, and creates the victim: a user whose values only those may see who are allowed to. */
export async function createWorld(
  origin: string,
  root: string,
  sign: Sign,
  operations: readonly Operation[],
) {
  const token = await sign({ sub: 'victim', scope: allScopes })
  // A body goes over a connection of its own: who answers before it has come closes it.
  const call = (sent: Sent) => send(origin, sent, { alone: sent.body !== undefined })
  const ids = async (path: string): Promise<string[]> => {
    const sent = { method: 'GET', path: root + path, headers: headersOf(token, 'Accept') }
    const { text } = await call(sent)
    return JSON.parse(text).data.map(({ id }: { id: string }) => id)
  }
  const mark = randomUUID().slice(0, 8)
  const card = `9${String(Date.now()).padStart(15, '0')}`
  const created = await createUser(call, root, token, {
    fullName: `Victim ${mark}`,
    email: `victim-${mark}@example.com`,
    creditCardNumber: card,
    addresses: [{ city: `Hideout ${mark}`, doorCode: `door ${mark}` }],
  })
  const users = (await ids('/users?page[limit]=40')).filter((id) => id !== created)
  /** Values of the victim's user, whom every list shows, and the scopes of those others who may see them; nobody at all where there are none. */
  const secrets = [
    { value: `Victim ${mark}`, scopes: ['users.read'] },
    { value: `victim-${mark}@`, scopes: ['users.read'] },
    { value: `Hideout ${mark}`, scopes: ['users.read'] },
    { value: `door ${mark}`, scopes: ['users.read', 'users.sensitive.read'] },
    { value: card, scopes: undefined },
  ]
  return {
    root,
    sign,
    operations,
    /** Ids that exist and stay, by type. */
    ids: { countries: await ids('/countries'), users } as Ids,
    /** The id of the victim's user, which is not among the others. */
    victim: created,
    secrets,
    send: call,
  }
}

/** Creates a user; its id. */
export async function createUser(
  call: (sent: Sent) => Promise<Received>,
  root: string,
  token: string,
  attributes: object,
): Promise<string> {
  const body = JSON.stringify({ data: { type: 'users', attributes } })
  const headers = headersOf(token, 'Content-Type')
  const { status, text } = await call({ method: 'POST', path: `${root}/users`, headers, body })
  if (status !== 201) {
    throw new Error(`No user was created: ${status} ${text}`)
  }
  return JSON.parse(text).data.id
}
