/**
 * An operation with its answer, and when it was under way: numbers of any clock that all operations of a history share. One that may
 * have been carried out or not, at any time, has no end: infinity.
 */
export interface Timed<Operation> {
  readonly operation: Operation
  readonly start: number
  readonly end: number
}

/** What operations do one after the other. */
export interface SequentialModel<State, Operation> {
  readonly initial: State
  /** The state after an operation; undefined where the operation cannot have had its answer in this state. */
  readonly apply: (state: State, operation: Operation) => State | undefined
}

/**
 * An order of the operations of a history in which each has the answer that it has had, and none comes before one that had ended
 * when it began; undefined where there is none: then the history is not linearizable (Herlihy and Wing, 1990).
 *
 * The search is that of Wing and Gong (1993): take an operation that may come first, and find an order of the rest. What has
 * once led nowhere, the same operations left in the same state, is not tried again (Lowe, 2017).
 */
export function linearization<State, Operation>(
  history: readonly Timed<Operation>[],
  { initial, apply }: SequentialModel<State, Operation>,
): Operation[] | undefined {
  const deadEnds = new Set<string>()
  const search = (left: readonly number[], state: State): Operation[] | undefined => {
    if (left.every((index) => history[index]?.end === Number.POSITIVE_INFINITY)) {
      return []
    }
    const here = JSON.stringify([left, state])
    if (deadEnds.has(here)) {
      return undefined
    }
    const firstEnd = Math.min(...left.map((index) => history[index]?.end ?? 0))
    for (const index of left) {
      const timed = history[index]
      if (timed && timed.start <= firstEnd) {
        const next = apply(state, timed.operation)
        const rest =
          next !== undefined &&
          search(
            left.filter((other) => other !== index),
            next,
          )
        if (rest) {
          return [timed.operation, ...rest]
        }
      }
    }
    deadEnds.add(here)
    return undefined
  }
  return search([...history.keys()], initial)
}
