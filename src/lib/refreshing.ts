import { withDeadline } from './deadline.ts'

/** How long a value serves before it is renewed, and how long a load may take; both in milliseconds. */
export interface RefreshingOptions {
  /**
   * Milliseconds after which a use of the value starts a new load in the background. The old value serves until that load
   * succeeds.
   */
  readonly fresh: number
  /**
   * Milliseconds after which a load that has not ended is given up, because the request that began it may have been
   * cancelled, and after which a renewal that failed may be tried again; a first load that failed is tried again at the next use. A
   * load with a deadline of its own must end a little before this.
   */
  readonly patience: number
  /**
   * Milliseconds after which a load that requests wait for, because nothing is loaded yet, is begun a second time beside the first.
   * A load in the background is begun once, and so is every load if absent.
   */
  readonly hedge?: number | undefined
  /** Keeps a load alive when the request that began it ends. */
  readonly waitUntil: (promise: Promise<unknown>) => void
}

/**
 * Loads a value once for all requests of an isolate, and renews it while the old one serves. However many requests wait,
 * there is one load, and a second one beside it where the first stalls.
 *
 * @returns a function that gives the value, or a promise while nothing is loaded yet. The promise rejects when loading fails, and
 * settles within twice the patience
 */
export function refreshing<Value>(
  load: () => Promise<Value>,
  { fresh, patience, hedge, waitUntil }: RefreshingOptions,
): () => Value | Promise<Value> {
  let value: { readonly content: Value; readonly at: number } | undefined
  let loading: { readonly ended: Promise<Value>; readonly at: number } | undefined
  let startedAt = Number.NEGATIVE_INFINITY

  const start = (): Promise<Value> => {
    const at = Date.now()
    startedAt = at
    const ended = (value || hedge === undefined ? load() : hedged(load, hedge)).then((content) => {
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
    loading && Date.now() - loading.at < patience ? loading.ended : undefined

  /**
   * Waits for the load under way, or begins one. A load whose request was cancelled never settles. A caller that has waited
   * for one in vain waits for one more load, and then fails (contract, section 14).
   */
  const join = (abandoned?: Promise<Value>): Promise<Value> => {
    const current = underWay()
    const ended = current && current !== abandoned ? current : start()
    return withDeadline(ended, patience, () => {
      if (value) {
        return value.content
      }
      if (abandoned) {
        throw new Error(`Two loads have not ended within ${patience} ms each`)
      }
      return join(ended)
    })
  }

  const used = ({ content, at }: NonNullable<typeof value>): Value => {
    if (Date.now() - at >= fresh && Date.now() - startedAt >= patience) {
      // A failed load changes nothing: the old value serves, and a later use tries again.
      start().catch(() => {})
    }
    return content
  }

  return () => (value ? used(value) : join())
}

/**
 * Loads a value, and begins a second load beside the first one where that has not ended after some time, because a call that stalls is
 * rare, and the next one seldom stalls as well. The load must have no effect but its value.
 *
 * @param milliseconds after which the second load begins
 * @returns the value of the load that succeeds first. Rejects when the first load fails
 */
async function hedged<Value>(load: () => Promise<Value>, milliseconds: number): Promise<Value> {
  const first = load()
  const early = await withDeadline(
    first.then((value) => ({ value })),
    milliseconds,
    () => undefined,
  )
  if (early) {
    return early.value
  }
  return Promise.race([first, load().catch(() => first)])
}
