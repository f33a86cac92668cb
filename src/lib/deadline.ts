/**
 * Waits for a promise until a deadline. The work behind the promise is not cancelled.
 *
 * @param milliseconds how long to wait
 * @param late gives the value after the deadline, or throws
 */
export function withDeadline<Value, Late = Value>(
  promise: PromiseLike<Value>,
  milliseconds: number,
  late: () => Late | PromiseLike<Late>,
): Promise<Value | Late> {
  const first = Promise.withResolvers<Value | Late>()
  // A promise keeps its first result, so the end of the work changes nothing after the deadline.
  const timer = setTimeout(() => first.resolve(Promise.try(late)), milliseconds)
  promise.then(first.resolve, first.reject)
  return first.promise.finally(() => clearTimeout(timer))
}
