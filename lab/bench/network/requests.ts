import type { Contender } from '../contenders.ts'
import type { Shot } from '../load.ts'
import { asker, type Kind, kinds, shotOf } from '../requests.ts'

/** A request of which the waits are counted. */
export interface Asked {
  readonly title: string
  /** The ways one after the other that no design can do without, once all is warm; on a cold isolate there is one more. */
  readonly waits: number
  /** The shot at a contender; undefined where it does not answer the request. */
  readonly shotAt: (contender: Contender, token: string) => Shot | undefined
}

const read = (title: string, path: string, waits = 1): Asked => ({
  title,
  waits,
  shotAt: ({ name }, token) =>
    name === 'service' || name === 'beside'
      ? shotOf({ method: 'GET', path, status: 200 }, token)
      : undefined,
})

const own = `/users/${asker.id}`

/** A request of the benchmark as a contender spells it; undefined where it does not answer it. */
export function shotOfKind({ paths }: Contender, kind: Kind, token: string): Shot | undefined {
  const path = paths[kind.name]
  return path === undefined ? undefined : shotOf({ ...kind, path }, token)
}

/** The requests of the benchmark, and those whose waits could differ from theirs. */
export const networkKinds: readonly Asked[] = [
  ...kinds.map((kind) => ({
    title: kind.title,
    waits: kind.method === 'GET' ? 1 : 2,
    shotAt: (contender: Contender, token: string) => shotOfKind(contender, kind, token),
  })),
  read('Linkage of relatives', `${own}/relationships/relatives`),
  read('Include of two levels', `${own}?include=relatives.placeOfBirth`, 1),
  read('Include of two levels of users', `${own}?include=relatives.relatives`, 2),
  read('Include of three levels of users', `${own}?include=relatives.relatives.relatives`, 3),
]
