import type { Shot } from '../load.ts'
import { asker, kinds, shotOf } from '../requests.ts'

/** A request of which the waits are counted. */
export interface Asked {
  readonly title: string
  /** The ways one after the other that no design can do without, once all is warm; on a cold isolate there is one more. */
  readonly waits: number
  /** Does the floor answer it? */
  readonly isOfFloor: boolean
  readonly shot: (token: string) => Shot
}

const read = (title: string, path: string, waits = 1): Asked => ({
  title,
  waits,
  isOfFloor: false,
  shot: (token) => shotOf({ method: 'GET', path, status: 200 }, token),
})

const own = `/users/${asker.id}`

/** The requests of the benchmark, and those whose waits could differ from theirs. */
export const networkKinds: readonly Asked[] = [
  ...kinds.map((kind) => ({
    title: kind.title,
    waits: kind.method === 'GET' ? 1 : 2,
    isOfFloor: true,
    shot: (token: string) => shotOf(kind, token),
  })),
  read('Linkage of relatives', `${own}/relationships/relatives`),
  read('Include of two levels', `${own}?include=relatives.placeOfBirth`, 1),
  read('Include of two levels of users', `${own}?include=relatives.relatives`, 2),
  read('Include of three levels of users', `${own}?include=relatives.relatives.relatives`, 3),
]
