import type { Counts } from './tap.js'

/**
 * The method of the Worker's back door, at any path. Without a body it answers with the {@link Cost} since it was last asked. With
 * {@link SqlStatement}s in its body it runs them as one batch, and answers with the rows of each.
 */
export const backDoorMethod = 'REPORT'

/** SQL text with the values of its parameters. */
export type SqlStatement = readonly [sql: string, ...values: readonly unknown[]]

/** What the service has cost. */
export interface Cost extends Counts {
  /**
   * Rows of tables that were changed by batches that failed later, so that they were rolled back. Those of the statement that
   * failed are not among them, nor are entries of indexes.
   */
  readonly undone: number
}
