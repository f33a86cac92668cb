import { type ErrorSource, quote } from '../errors.ts'

/** Where in a request the faults of a write operation are, and how they name resources. */
export interface Places {
  /** The source of faults of the resource itself. */
  readonly resource: ErrorSource
  /** Turns a pointer into the body of the operation into one into the body of the request, which may be a transaction. */
  readonly pointer: (below: string) => string
  /** What the client calls the resource with an id, which may be anything that was sent in the place of one. */
  readonly nameOf: (id: unknown) => Name
}

/** What a client calls a resource: its id, or the `lid` of one that a transaction adds and whose id the client has never seen. */
export interface Name {
  readonly member: 'id' | 'lid'
  readonly value: unknown
}

/** The name of a resource whose id the client knows. */
export function byId(id: unknown): Name {
  return { member: 'id', value: id }
}

/** A name in a sentence: `id "5"`. */
export function nameText({ member, value }: Name): string {
  return `${member} ${quote(value)}`
}

/** The places of an operation that is the whole request. */
export const ofRequest: Places = {
  resource: { path: 'id' },
  pointer: (below) => below,
  nameOf: byId,
}
