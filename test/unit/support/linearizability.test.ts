import { expect, it } from 'vitest'
import { linearization, type RegisterOperation, register } from '../../support/linearizability.ts'

const at = (start: number, end: number, operation: RegisterOperation) => ({ start, end, operation })
const read = (value: string, tag: string): RegisterOperation => ({ kind: 'read', value, tag })
const swap = (done: boolean, value: string, tag?: string): RegisterOperation => ({
  kind: 'conditional write',
  condition: 't0',
  done,
  value,
  tag,
})

/** Can the history of a resource that begins with `a` and the tag `t0` have happened one after the other? */
const isExplained = (...history: readonly ReturnType<typeof at>[]) =>
  linearization(history, register({ value: 'a', tag: 't0' })) !== undefined

it('a history is explained where of two conditional writes at once one is done', () => {
  const first = at(1, 4, swap(true, 'b', 't1'))
  expect(isExplained(first, at(2, 3, swap(false, 'c')), at(5, 6, read('b', 't1')))).toBe(true)
  expect(isExplained(first, at(2, 3, swap(true, 'c', 't2')))).toBe(false)
})

it('a history is not explained where something is read that is over', () => {
  const written = at(1, 2, { kind: 'write', value: 'b', tag: 't1' })
  expect(isExplained(written, at(1, 3, read('a', 't0')))).toBe(true)
  expect(isExplained(written, at(3, 4, read('a', 't0')))).toBe(false)
  expect(isExplained(written, at(3, 4, read('b', 't0')))).toBe(false)
})
