/** Which requests are written to the log. */
export interface Sampling {
  /** The share of ordinary requests, from 0 to 1. */
  readonly share: number
  /** A request that has taken so many milliseconds is slow. */
  readonly slowMs: number
}

/** What has become of a request. */
interface Outcome {
  readonly status: number
  readonly ms: number
  /** The most attempts that a call of D1 has taken. */
  readonly attempts?: number | undefined
}

/**
 * Does the log tell every such request (contract, section 19)? It does where the service failed, was slow, or had to ask D1 again.
 * Faults of callers are no failures: who sends the most of them would decide what the log costs.
 */
export function isTelling({ status, ms, attempts = 0 }: Outcome, { slowMs }: Sampling): boolean {
  return status >= 500 || ms >= slowMs || attempts > 1
}

/**
 * Is an ordinary request in the sample? Its id alone decides, so that the same id always gives the same answer.
 *
 * @param requestId a random UUID that the service has chosen, so that no caller can influence the choice
 */
export function isSampled(requestId: string, share: number): boolean {
  return share >= 1 || Number.parseInt(requestId.slice(0, 8), 16) / 2 ** 32 < share
}
