import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { tokenMemory } from '../../../src/auth/token.ts'
import type { Principal } from '../../../src/jsonapi/declare/access.ts'
import { start, startSeconds } from './issuer.ts'

const ann: Principal = { kind: 'user', issuer: 'i', id: 'ann', scopes: new Set() }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: start })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('the memory of verified tokens', () => {
  it('keeps a token for 60 seconds', () => {
    const memory = tokenMemory()
    memory.remember('t', ann, startSeconds + 300, 1)
    vi.setSystemTime(start + 59_999)
    expect(memory.recall('t', 1)).toBe(ann)
    vi.setSystemTime(start + 60_000)
    expect(memory.recall('t', 1)).toBeUndefined()
  })

  it('never keeps a token past its exp', () => {
    const memory = tokenMemory()
    memory.remember('t', ann, startSeconds + 10, 1)
    vi.setSystemTime(start + 9_999)
    expect(memory.recall('t', 1)).toBe(ann)
    vi.setSystemTime(start + 10_000)
    expect(memory.recall('t', 1)).toBeUndefined()
  })

  it('does not recall a token that was forgotten when the clock goes back', () => {
    const memory = tokenMemory()
    memory.remember('t', ann, startSeconds + 300, 1)
    vi.setSystemTime(start + 60_000)
    expect(memory.recall('t', 1)).toBeUndefined()
    vi.setSystemTime(start)
    expect(memory.recall('t', 1)).toBeUndefined()
  })

  it.each([0, 2])(
    'does not keep a token that is good only by the clock tolerance, %d s past its exp',
    (seconds) => {
      const memory = tokenMemory()
      memory.remember('t', ann, startSeconds - seconds, 1)
      vi.setSystemTime(start - 3_000)
      expect(memory.recall('t', 1)).toBeUndefined()
    },
  )

  it('compares tokens by their whole text', () => {
    const memory = tokenMemory()
    memory.remember('a.b.c', ann, startSeconds + 300, 1)
    expect(memory.recall('a.b.d', 1)).toBeUndefined()
  })

  it('holds 1,000 tokens and forgets the oldest first', () => {
    const memory = tokenMemory()
    for (let i = 0; i <= 1_000; i++) {
      memory.remember(`t${i}`, ann, startSeconds + 300, 1)
    }
    expect(memory.recall('t0', 1)).toBeUndefined()
    expect(memory.recall('t1', 1)).toBe(ann)
    expect(memory.recall('t1000', 1)).toBe(ann)
  })

  it('forgets no token when one that it holds is verified again', () => {
    const memory = tokenMemory()
    for (let i = 0; i < 1_000; i++) {
      memory.remember(`t${i}`, ann, startSeconds + 300, 1)
    }
    memory.remember('t999', ann, startSeconds + 300, 1)
    expect(memory.recall('t0', 1)).toBe(ann)
  })

  it('recalls no token under other keys', () => {
    const memory = tokenMemory()
    memory.remember('t', ann, startSeconds + 300, 1)
    expect(memory.recall('t', 2)).toBeUndefined()
  })

  it('is emptied by newer keys', () => {
    const memory = tokenMemory()
    memory.remember('old', ann, startSeconds + 300, 1)
    memory.remember('new', ann, startSeconds + 300, 2)
    expect(memory.recall('old', 2)).toBeUndefined()
    expect(memory.recall('new', 2)).toBe(ann)
  })

  it('does not keep a token that was verified before the keys changed', () => {
    const memory = tokenMemory()
    memory.remember('new', ann, startSeconds + 300, 2)
    memory.remember('late', ann, startSeconds + 300, 1)
    expect(memory.recall('late', 2)).toBeUndefined()
    expect(memory.recall('new', 2)).toBe(ann)
  })
})
