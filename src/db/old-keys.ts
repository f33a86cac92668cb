import { connect, newUsage } from './connection.ts'
import { removalStatement } from './keys-sql.ts'
import type { Database } from './statement.ts'

/** The bounds of one run: the most steps, and the most keys of each step. A run on the free plan may send 50 statements. */
export interface RemovalBounds {
  readonly steps: number
  readonly keys: number
}

/** The bounds of a run where no others are given. */
const removalBounds: RemovalBounds = { steps: 40, keys: 1_000 }

/** What a run has done. */
export interface Removal {
  readonly removed: number
  readonly steps: number
  /** May there be more keys that are too old? The next run removes them. */
  readonly left: boolean
}

/**
 * Removes keys that are older than 24 hours, the oldest first (contract, section 12). The run and each of its steps are
 * bounded, so that no request waits long for them. Each step is a transaction of its own: a run that breaks off has done its
 * earlier steps.
 *
 * @throws Error when D1 fails, or does not answer a step in time
 */
export async function removeOldKeys(
  db: Database,
  deadlineMs: number,
  bounds = removalBounds,
): Promise<Removal> {
  let removed = 0
  for (let steps = 1; ; steps++) {
    // All calls of a connection share two deadlines, so that each step gets a connection of its own.
    const run = connect(db, newUsage(), { metered: false, deadlineMs })
    const [rows = []] = await run([removalStatement(bounds.keys)])
    removed += rows.length
    const left = rows.length === bounds.keys
    if (!left || steps === bounds.steps) {
      return { removed, steps, left }
    }
  }
}
