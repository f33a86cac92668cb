import { personId } from './data/people.ts'
import type { Shot } from './load.ts'

/** Number of people in the databases. */
export const people = 10_000

/** The person who asks, and the user that it owns: on no page that is asked for. */
export const asker = { id: personId(5_000), owner: 'person-5000' } as const

/** The user with as many relatives as there are people. */
export const hub = personId(people - 1)

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
  /** How many are sent in one round of a full run. */
  readonly count: number
  /** The most CPU of the floor that the service may take. */
  readonly goal: number
}

const include = 'include=citizenships,relatives,placeOfBirth'
const get = { method: 'GET', status: 200 } as const
const bodies = ['Jane Novak', 'Jane Öberg'].map((fullName) =>
  JSON.stringify({ data: { type: 'users', id: asker.id, attributes: { fullName } } }),
)

/** The requests that are measured. */
export const kinds: readonly Kind[] = [
  { ...get, name: 'a', title: 'Users, page of 20', path: '/users', count: 1200, goal: 1.1 },
  {
    ...get,
    name: 'b',
    title: 'Users with three includes',
    path: `/users?${include}`,
    count: 800,
    goal: 1.1,
  },
  {
    ...get,
    name: 'c',
    title: 'One country with its currencies',
    path: '/countries/NO?include=currencies',
    count: 6000,
    goal: 1.25,
  },
  {
    ...get,
    name: 'd',
    title: 'Countries, first page',
    path: '/countries',
    count: 5000,
    goal: 1.25,
  },
  {
    ...get,
    name: 'e',
    title: 'One user by its owner, with the card',
    path: `/users/${asker.id}`,
    count: 1800,
    goal: 1.1,
  },
  {
    name: 'f',
    title: 'PATCH of a user',
    method: 'PATCH',
    path: `/users/${asker.id}`,
    status: 204,
    bodies,
    // Major collections of garbage are a large part of its cost, and come seldom.
    count: 2000,
    goal: 1.1,
  },
]

/** The largest answers there are. */
export const largeKinds: readonly Kind[] = [
  {
    ...get,
    name: 'g',
    title: 'Page of 100 users with three includes',
    path: `/users?page%5Blimit%5D=100&${include}`,
    count: 250,
    goal: 1.3,
  },
  {
    ...get,
    name: 'h',
    title: 'A user with 10,000 relatives',
    path: `/users/${hub}`,
    count: 1500,
    goal: 1.3,
  },
]

/** A request as it is sent. */
export function shotOf(
  { method, path, status, bodies }: Pick<Shot, 'method' | 'path' | 'status' | 'bodies'>,
  token: string,
): Shot {
  const mediaType = 'application/vnd.api+json'
  return {
    method,
    path: `/jsonapi${path}`,
    status,
    bodies,
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: mediaType,
      ...(bodies && { 'Content-Type': mediaType }),
    },
  }
}
