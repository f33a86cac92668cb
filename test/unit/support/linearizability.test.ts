import { describe, expect, it } from 'vitest'
import { linearization, type Timed } from '../../support/linearizability.ts'
import { type RegisterOperation, register } from '../../support/register.ts'

const at = (start: number, end: number, operation: RegisterOperation) => ({ start, end, operation })
const read = (value: string, tag?: string): RegisterOperation => ({ kind: 'read', value, tag })
const write = (value: string, tag?: string): RegisterOperation => ({ kind: 'write', value, tag })
const swap = (
  condition: string,
  done: boolean,
  value: string,
  tag?: string,
): RegisterOperation => ({
  kind: 'conditional write',
  condition,
  done,
  value,
  tag,
})

/** The order in which a history of a resource that begins with `a` and the tag `t0`, or none, can have happened. */
const order = (history: readonly Timed<RegisterOperation>[], tag?: string) =>
  linearization(history, register({ value: 'a', tag }))

type History = readonly Timed<RegisterOperation>[]

describe('conditional writes', () => {
  it.each<[string, History]>([
    ['one that has the tag is done', [at(1, 2, swap('t0', true, 'b', 't1'))]],
    ['one that has another tag is not', [at(1, 2, swap('t9', false, 'b'))]],
    [
      'of two at once with one tag, one is done',
      [
        at(1, 4, swap('t0', true, 'b', 't1')),
        at(2, 3, swap('t0', false, 'c')),
        at(5, 6, read('b', 't1')),
      ],
    ],
  ])('are explained: %s', (_, history) => {
    expect(order(history, 't0')).toHaveLength(history.length)
  })

  it.each<[string, History]>([
    [
      'two at once with one tag are both done',
      [at(1, 4, swap('t0', true, 'b', 't1')), at(2, 3, swap('t0', true, 'c', 't2'))],
    ],
    [
      'a value is read with the tag of another',
      [at(1, 2, write('b', 't1')), at(3, 4, read('b', 't0'))],
    ],
  ])('are not explained: %s', (_, history) => {
    expect(order(history, 't0')).toBeUndefined()
  })
})
