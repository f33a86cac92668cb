import type { ErrorSource } from '../errors.ts'

/** Where in a request the faults of a write operation lie. */
export interface Places {
  /** Where the resource is named. */
  readonly resource: ErrorSource
  /** The pointer into the body of a request for a pointer into the body that the operation would have by itself. */
  readonly pointer: (below: string) => string
}

/** The places of an operation that is the request itself. */
export const ofRequest: Places = { resource: { path: 'id' }, pointer: (below) => below }
