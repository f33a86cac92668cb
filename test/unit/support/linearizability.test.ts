import fc from 'fast-check'
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
    [
      'one goes on from another, whose tag it has read',
      [
        at(1, 8, write('b', 't1')),
        at(2, 3, read('b', 't1')),
        at(4, 5, swap('t1', true, 'c', 't2')),
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
    ['one that has the tag is refused', [at(1, 2, swap('t0', false, 'b'))]],
    [
      'one is done by a tag that is gone',
      [at(1, 2, write('b', 't1')), at(3, 4, swap('t0', true, 'c', 't2'))],
    ],
    ['a refused one is read', [at(1, 2, swap('t9', false, 'b')), at(3, 4, read('b', 't0'))]],
    [
      'a value is read with the tag of another',
      [at(1, 2, write('b', 't1')), at(3, 4, read('b', 't0'))],
    ],
  ])('are not explained: %s', (_, history) => {
    expect(order(history, 't0')).toBeUndefined()
  })
})

/** Operations that a real register answers, each somewhere in the time that it is under way. */
const histories = fc
  .array(
    fc.record({
      value: fc.option(fc.constantFrom('b', 'c', 'd')),
      point: fc.integer({ min: 0, max: 40 }),
      before: fc.integer({ min: 1, max: 12 }),
      after: fc.integer({ min: 1, max: 12 }),
    }),
    { maxLength: 12 },
  )
  .map((drafts) => {
    let now = 'a'
    return drafts
      .toSorted((one, other) => one.point - other.point)
      .map(({ value, point, before, after }, nth) => {
        now = value ?? now
        // A hundredth for each makes all points different.
        const moment = point + nth / 100
        return at(moment - before, moment + after, value === null ? read(now) : write(now))
      })
  })

describe('any history', () => {
  it('is explained where, and only where, one of all orders explains it', () => {
    const few = histories.filter(({ length }) => length > 0 && length <= 6)
    const swapped = fc.tuple(few, fc.constantFrom('a', 'b', 'c', 'd'), fc.nat()).map(
      // One read is given another answer, which may be possible or not.
      ([history, value, nth]) =>
        history.map((timed, index) =>
          index === nth % history.length && timed.operation.kind === 'read'
            ? { ...timed, operation: read(value) }
            : timed,
        ),
    )
    let explained = 0
    let total = 0
    fc.assert(
      fc.property(swapped, (history) => {
        const isExplained = order(history) !== undefined
        expect(isExplained).toBe(orders(history).some(isPossible))
        explained += isExplained ? 1 : 0
        total++
      }),
      { numRuns: 500, seed: 15 },
    )
    expect(explained).toBeGreaterThan(total / 10)
    expect(total - explained).toBeGreaterThan(total / 50)
  })
})

/** All orders of a few operations. */
function orders(history: History): History[] {
  return history.length === 0
    ? [[]]
    : history.flatMap((first) =>
        orders(history.filter((other) => other !== first)).map((rest) => [first, ...rest]),
      )
}

/** Can the operations have happened in this order? */
function isPossible(history: History): boolean {
  let now = 'a'
  return history.every(({ operation, start }, index) => {
    const isLate = history.slice(index + 1).some(({ end }) => end < start)
    now = operation.kind === 'write' ? operation.value : now
    return !isLate && operation.value === now
  })
}
