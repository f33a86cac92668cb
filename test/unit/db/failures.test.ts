import { describe, expect, it } from 'vitest'
import { violatesConstraint } from '#dialect'
import { failureOf } from '../../../src/db/retry.ts'

describe('what refused a write', () => {
  const forms = (message: string): Error[] => {
    const full = `D1_ERROR: ${message}: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_X)`
    const wrapped = new Error('Failed query: …', { cause: new Error(full) })
    return [new Error(message), new Error(full), wrapped]
  }

  it.each([
    ['UNIQUE constraint failed: articles.handle_fold', true],
    ['UNIQUE constraint failed: a.x, a.y', true],
    ['FOREIGN KEY constraint failed', true],
    ['NOT NULL constraint failed: articles.keeper', true],
    ['CHECK constraint failed: words <> 13', false],
    ['Network connection lost.', false],
  ])('%s is a constraint: %j', (message, constraint) => {
    for (const error of forms(message)) {
      expect(violatesConstraint(error)).toBe(constraint)
      expect(failureOf(error)).toBeUndefined()
    }
  })

  it.each([
    ["bad JSON path: 'edit3:absent '", { at: 3, reason: 'absent', detail: '' }],
    [
      "bad JSON path: 'edit0:dangling author 0;tags 1,2;'",
      { at: 0, reason: 'dangling', detail: 'author 0;tags 1,2;' },
    ],
    ["bad JSON path: 'edit12:full tags'", { at: 12, reason: 'full', detail: 'tags' }],
  ])('%s is a failure by intent', (message, failure) => {
    for (const error of forms(message)) {
      expect(failureOf(error)).toEqual(failure)
      expect(violatesConstraint(error)).toBe(false)
    }
  })
})
