/** What D1 and the limiter's objects have done, as they tell it themselves. A call that fails tells no more than that it was made. */
export interface Counts {
  /** Calls of D1. */
  readonly roundTrips: number
  readonly rowsRead: number
  readonly rowsWritten: number
  /** Rows of tables that were inserted, updated or deleted; `rowsWritten` has those of indexes, too. */
  readonly changes: number
  /** Calls of the limiter's objects. */
  readonly objectCalls: number
}

/** The cost since the last call of this. */
export function taken(): Counts
