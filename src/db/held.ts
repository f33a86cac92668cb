import { withDeadline } from '../lib/deadline.ts'

/** How long a value is held, in milliseconds, and what keeps its loading alive past the request that began it. */
export interface HeldOptions {
  /** After this a use starts a reload in the background; the old value goes on serving, also when that fails. */
  readonly fresh: number
  /**
   * After this a load that has not ended is given up, since the request that began it may have been cancelled;
   * and one that failed may be tried again. A load that has a deadline of its own needs a little less than this.
   */
  readonly patience: number
  readonly waitUntil: (promise: Promise<unknown>) => void
  readonly clock?: () => number
}

/**
 * Holds a value for all requests of an isolate: one load however many wait for it, stale while it is renewed.
 *
 * @returns the value; a promise only while there is none yet, which rejects when loading fails, and ends within twice
 * the patience
 */
export function held<Value>(
  load: () => Promise<Value>,
  { fresh, patience, waitUntil, clock = Date.now }: HeldOptions,
): () => Value | Promise<Value> {
  let value: { readonly content: Value; readonly at: number } | undefined
  let loading: { readonly ended: Promise<Value>; readonly at: number } | undefined
  let startedAt = Number.NEGATIVE_INFINITY

  const start = (): Promise<Value> => {
    const at = clock()
    startedAt = at
    const ended = load().then((content) => {
      value = { content, at }
      return content
    })
    const attempt = { ended, at }
    loading = attempt
    const settle = (): void => {
      loading = loading === attempt ? undefined : loading
    }
    waitUntil(ended.then(settle, settle))
    return ended
  }
  const underWay = (): Promise<Value> | undefined =>
    loading && clock() - loading.at < patience ? loading.ended : undefined

  /**
   * Waits for the load under way, or begins one. The promise of a cancelled request never settles: who has waited for it
   * in vain waits for one load more, and then fails (contract, section 14).
   */
  const join = (abandoned?: Promise<Value>): Promise<Value> => {
    const current = underWay()
    const ended = current && current !== abandoned ? current : start()
    return withDeadline(ended, patience, () => {
      if (value) {
        return value.content
      }
      if (abandoned) {
        throw new Error(
          `Two loads of what is held in memory have not ended within ${patience} ms each`,
        )
      }
      return join(ended)
    })
  }

  return () => {
    if (!value) {
      return join()
    }
    if (clock() - value.at >= fresh && clock() - startedAt >= patience) {
      // Its failure shows in the log of the store; whoever asks now gets the old value.
      start().catch(() => {})
    }
    return value.content
  }
}
