import { connect, newUsage } from './connection.ts'
import { removalStatement } from './keys-sql.ts'
import type { Database } from './statement.ts'

/** How much one run does at most: so many steps of so many keys. A run of the free plan may send 50 statements. */
export interface RemovalBounds {
  readonly steps: number
  readonly keys: number
}

/** What a run does where nothing else is said. */
const removalBounds: RemovalBounds = { steps: 40, keys: 1_000 }

/** What a run has done. */
export interface Removal {
  readonly removed: number
  readonly steps: number
  /** Are there keys left that are too old? The next run goes on with them. */
  readonly left: boolean
}

/**
 * Removes keys that are older than 24 hours, the oldest first (contract, section 12). Each step is a transaction of its own and
 * bounded, so that no request waits long for it, and so is the run. A run that breaks off has done its earlier steps.
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
    // A connection gives up after two deadlines, whatever it has been asked: each step has one of its own.
    const run = connect(db, newUsage(), { metered: false, deadlineMs })
    const [rows = []] = await run([removalStatement(bounds.keys)])
    removed += rows.length
    const left = rows.length === bounds.keys
    if (!left || steps === bounds.steps) {
      return { removed, steps, left }
    }
  }
}
