import { describe, expect, it } from 'vitest'
import { lazy } from '../../../src/lib/cache.ts'

describe('lazy', () => {
  it('makes a value when it is first asked for, and only once', () => {
    let made = 0
    const value = lazy(() => ({ number: ++made }))
    expect(made).toBe(0)
    const first = value()
    expect(value()).toBe(first)
    expect(first).toEqual({ number: 1 })
  })

  it('tries again after it has failed', () => {
    let tries = 0
    const value = lazy(() => {
      if (++tries === 1) {
        throw new Error('not yet')
      }
      return { tries }
    })
    expect(value).toThrow('not yet')
    expect(value()).toEqual({ tries: 2 })
  })
})
