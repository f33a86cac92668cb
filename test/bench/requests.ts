import { type Received, send } from '../fuzz/send.ts'
import { personId } from './people.ts'

/** Number of people in the databases. */
export const people = 10_000

/** The person who asks, and the user that it owns: on no page that is asked for. */
export const asker = { id: personId(5_000), owner: 'person-5000' } as const

/** One kind of request. */
export interface Kind {
  readonly name: string
  readonly title: string
  readonly method: 'GET' | 'PATCH'
  /** Below the root path. */
  readonly path: string
  readonly status: number
  /** Sent in turn, so that each of them changes something. */
  readonly bodies?: readonly string[]
  /** How many are sent in one round. */
  readonly count: number
  /** The most CPU of the floor that the service may take. */
  readonly goal: number
}

const bodies = ['Jane Novak', 'Jane Öberg'].map((fullName) =>
  JSON.stringify({ data: { type: 'users', id: asker.id, attributes: { fullName } } }),
)
const user = `/users/${asker.id}`
const withIncludes = '/users?include=citizenships,relatives,placeOfBirth'
const country = '/countries/NO?include=currencies'
const get = { method: 'GET', status: 200, goal: 1.25 } as const
// Major collections of garbage are a large part of a write's cost, and come seldom.
const patch = { method: 'PATCH', status: 204, bodies, count: 2000 } as const

/** The requests that are measured. */
export const kinds: readonly Kind[] = [
  { ...get, name: 'a', title: 'Users, page of 20', path: '/users', count: 1200, goal: 1.3 },
  { ...get, name: 'b', title: 'Users with three includes', path: withIncludes, count: 800 },
  { ...get, name: 'c', title: 'Country with currencies', path: country, count: 6000, goal: 1.45 },
  { ...get, name: 'd', title: 'Page of countries', path: '/countries', count: 5000, goal: 1.35 },
  { ...get, name: 'e', title: 'One user by its owner, with the card', path: user, count: 1800 },
  { ...patch, name: 'f', title: 'PATCH of a user', path: user, goal: 1.4 },
]

/** What is needed to send a request. */
export type Sendable = Pick<Kind, 'method' | 'path' | 'status' | 'bodies'>

/**
 * Sends a request once.
 * @param nth which of its bodies is sent
 * @throws Error when it is answered with another status
 */
export async function ask(
  url: URL,
  { method, path, status, bodies = [] }: Sendable,
  token: string,
  nth = 0,
): Promise<Received> {
  const mediaType = 'application/vnd.api+json'
  const body = bodies[nth % bodies.length]
  const names = ['Accept', ...(body === undefined ? [] : ['Content-Type'])]
  const types = names.map((name) => [name, mediaType] as const)
  const headers = [['Authorization', `Bearer ${token}`] as const, ...types]
  const sent = { method, path: `/jsonapi${path}`, headers, ...(body !== undefined && { body }) }
  const answer = await send(url.origin, sent)
  if (answer.status !== status) {
    throw new Error(`${method} ${path} is answered ${answer.status}: ${answer.text.slice(0, 2000)}`)
  }
  return answer
}

/** Sends a request many times, some at once. */
export async function fire(
  url: URL,
  kind: Sendable,
  token: string,
  count: number,
  atOnce = 16,
): Promise<void> {
  let sent = 0
  const send = async (): Promise<void> => {
    while (sent < count) {
      await ask(url, kind, token, sent++)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, send))
}
