/**
 * The path of the Worker's back door. GET answers with the counts of the tap, which begin anew; POST runs
 * {@link SqlStatement}s as one batch and answers with the rows of each.
 */
export const backDoorPath = '/cost-back-door'

/** SQL text with the values of its parameters. */
export type SqlStatement = readonly [sql: string, ...values: readonly unknown[]]
