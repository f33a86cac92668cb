import { describe, expect, it, vi } from 'vitest'
import { type ErrorCode, FaultList, type Problem } from '../../../src/jsonapi/problems.ts'

const problem = (code: ErrorCode): Problem => ({ code, detail: 'd' })

describe('a list of faults', () => {
  it('makes the first 50 problems, and counts the others', () => {
    const faults = new FaultList()
    const make = vi.fn(() => problem('CONFLICT'))
    for (let count = 0; count < 6_000; count++) {
      faults.add(make)
    }
    expect(faults).toMatchObject({ problems: Array(50).fill(problem('CONFLICT')), omitted: 5_950 })
    expect(make).toHaveBeenCalledTimes(50)
  })

  it('joins others: their problems as far as there is room, and what they have not told', () => {
    const some = { problems: Array(30).fill(problem('CONFLICT')), omitted: 0 }
    const more = { problems: Array(50).fill(problem('NOT_FOUND')), omitted: 7 }
    const faults = new FaultList()
    faults.join(some)
    faults.join(more)
    const { problems, omitted } = faults
    expect(problems.map(({ code }) => code)).toEqual([
      ...Array(30).fill('CONFLICT'),
      ...Array(20).fill('NOT_FOUND'),
    ])
    expect(omitted).toBe(37)
  })
})
