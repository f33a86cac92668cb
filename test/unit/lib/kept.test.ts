import { describe, expect, it } from 'vitest'
import { lazy, lazyFor } from '../../../src/lib/kept.ts'

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

describe('lazyFor', () => {
  it('makes a value for each object once, and gives it without a promise from then on', async () => {
    let made = 0
    const nameOf = lazyFor(async ({ id }: { id: string }) => `${id}${++made}`)
    const [ann, ben] = [{ id: 'ann' }, { id: 'ben' }]
    expect(await nameOf(ann)).toBe('ann1')
    expect(nameOf(ann)).toBe('ann1')
    expect(await nameOf(ben)).toBe('ben2')
  })

  it('tries again after it has failed', async () => {
    let tries = 0
    const nameOf = lazyFor(async () => {
      if (++tries === 1) {
        throw new Error('not yet')
      }
      return 'name'
    })
    const ann = {}
    await expect(nameOf(ann)).rejects.toThrow('not yet')
    expect(await nameOf(ann)).toBe('name')
  })
})
