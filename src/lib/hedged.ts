import { withDeadline } from './deadline.ts'

/**
 * Loads a value, and begins a second load beside the first one where that has not ended after some time, because a call that stalls is
 * rare, and the next one seldom stalls as well. The load must have no effect but its value.
 *
 * @param milliseconds after which the second load begins
 * @returns the value of the load that succeeds first. Rejects when the first load fails
 */
export async function hedged<Value>(
  load: () => Promise<Value>,
  milliseconds: number,
): Promise<Value> {
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
