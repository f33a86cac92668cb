const passed: unique symbol = Symbol('passed')

/**
 * Waits for a promise until a deadline. The work behind the promise is not cancelled.
 *
 * @param milliseconds how long to wait
 * @param late gives the value after the deadline, or throws
 */
export async function withDeadline<Value, Late = Value>(
  promise: PromiseLike<Value>,
  milliseconds: number,
  late: () => Late | PromiseLike<Late>,
): Promise<Value | Late> {
  const { promise: deadline, resolve } = Promise.withResolvers<typeof passed>()
  const timer = setTimeout(resolve, milliseconds, passed)
  try {
    const first = await Promise.race([promise, deadline])
    return first === passed ? await late() : first
  } finally {
    clearTimeout(timer)
  }
}
