import { expect, it } from 'vitest'
import { linearization } from '../../support/linearizability.ts'

/** A write of one value in the place of another, or a read of one, and when it was under way. */
type Operation = { readonly from: string; readonly to: string } | { readonly seen: string }
const at = (start: number, end: number, operation: Operation) => ({ start, end, operation })

/** Can the history of a value that begins with `a` have happened one after the other? */
function isExplained(...history: readonly ReturnType<typeof at>[]): boolean {
  const apply = (state: string, operation: Operation) => {
    const [expected, next] =
      'seen' in operation ? [operation.seen, state] : [operation.from, operation.to]
    return state === expected ? next : undefined
  }
  return linearization(history, { initial: 'a', apply }) !== undefined
}

it('a history is explained where an order of what was under way at the same time gives all answers', () => {
  const [first, second] = [at(1, 4, { from: 'a', to: 'b' }), at(2, 3, { from: 'b', to: 'c' })]
  expect(isExplained(first, second, at(5, 6, { seen: 'c' }))).toBe(true)
  expect(isExplained(first, at(2, 3, { from: 'a', to: 'c' }))).toBe(false)
})

it('a history is not explained where something is read that is over', () => {
  const written = at(1, 2, { from: 'a', to: 'b' })
  expect(isExplained(written, at(1, 3, { seen: 'a' }))).toBe(true)
  expect(isExplained(written, at(3, 4, { seen: 'a' }))).toBe(false)
})
