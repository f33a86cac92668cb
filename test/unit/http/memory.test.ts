import { describe, expect, it } from 'vitest'
import { memoryOf, mostAnswers } from '../../../src/http/memory.ts'
import type { Principal } from '../../../src/jsonapi/declare/access.ts'
import type { Answer } from '../../../src/jsonapi/run/read.ts'

const person: Principal = {
  kind: 'user',
  issuer: 'i',
  id: 'ann',
  scopes: new Set(['a.read', 'b.read']),
}

const list = { principal: person, path: '/tags', search: '?include=neighbours' }

const answer: Answer = { status: 200, headers: [], cacheControl: 'private', body: '{}' }

/** The memory of one state, by requests that differ from the list in some way. */
function memoryIn(state: object = {}) {
  return (change: Partial<typeof list> = {}) => memoryOf(state, { ...list, ...change })
}

describe('the answer to a read of what is all in memory (architecture, "Why it is so")', () => {
  it('is remembered for equal requests, and is marked as lasting', () => {
    const memory = memoryIn()
    expect(memory().recall()).toBeUndefined()
    const kept = memory().remember(answer)
    expect(kept).toEqual({ ...answer, lasting: true })
    expect(memory().recall()).toBe(kept)
  })

  it.each<[what: string, change: Partial<typeof list>]>([
    ['path', { path: '/tags/1' }],
    ['query string', { search: '?include=neighbours&' }],
    ['kind of caller', { principal: { ...person, kind: 'client' } }],
    ['set with fewer scopes', { principal: { ...person, scopes: new Set(['a.read']) } }],
    [
      'set with more scopes',
      { principal: { ...person, scopes: new Set(['a.read', 'b.read', 'c']) } },
    ],
    [
      'set with one scope that reads like two',
      { principal: { ...person, scopes: new Set(['a.read b.read']) } },
    ],
  ])('is not given to another %s', (_, change) => {
    const memory = memoryIn()
    memory().remember(answer)
    expect(memory(change).recall()).toBeUndefined()
  })

  it('is shared by callers who have the same access', () => {
    const memory = memoryIn()
    const kept = memory().remember(answer)
    const scopes = new Set(['b.read', 'a.read'])
    const other = { ...person, issuer: 'other', id: 'bob', scopes }
    expect(memory({ principal: other }).recall()).toBe(kept)
  })

  it('is forgotten when the state is another one', () => {
    memoryIn()().remember(answer)
    expect(memoryIn()().recall()).toBeUndefined()
  })

  it('gives way to newer ones when too many are remembered', () => {
    const memory = memoryIn()
    const nth = (n: number) => memory({ search: `?${n}` })
    for (let n = 0; n <= mostAnswers; n++) {
      nth(n).remember(answer)
    }
    const known = [0, 1, mostAnswers].map((n) => nth(n).recall() !== undefined)
    expect(known).toEqual([false, true, true])
  })
})
