/**
 * The method of the Worker's back door, at any path. Without a body it answers with the counts of the tap, which begin anew. With
 * {@link SqlStatement}s in its body it runs them as one batch, and answers with the rows of each.
 */
export const backDoorMethod = 'REPORT'

/** SQL text with the values of its parameters. */
export type SqlStatement = readonly [sql: string, ...values: readonly unknown[]]
