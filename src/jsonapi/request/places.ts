import type { ErrorSource } from '../errors.ts'

/** Where in a request the faults of a write operation are. */
export interface Places {
  /** The source of faults of the resource itself. */
  readonly resource: ErrorSource
  /** Turns a pointer into the body of the operation into one into the body of the request, which may be a transaction. */
  readonly pointer: (below: string) => string
}

/** The places of an operation that is the whole request. */
export const ofRequest: Places = { resource: { path: 'id' }, pointer: (below) => below }
