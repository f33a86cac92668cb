import { type Env, Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { newUsage } from '../../../src/db/connection.ts'
import { mostAnswers, remember } from '../../../src/http/memory.ts'
import { respondRead } from '../../../src/http/respond.ts'
import type { Principal } from '../../../src/jsonapi/declare/access.ts'

const person: Principal = {
  kind: 'user',
  issuer: 'i',
  id: 'ann',
  scopes: new Set(['a.read', 'b.read']),
}

const list = { principal: person, path: '/tags', search: '?include=neighbours' }

const always =
  (state: object): (() => object | undefined) =>
  () =>
    state

/** A service of resources whose state a test chooses. It tells how often it has made an answer. */
function serviceIn(stateOf = always({})) {
  let made = 0
  return async (change: Partial<typeof list> = {}) => {
    const { principal, ...target } = { ...list, ...change }
    const before = made
    const app = new Hono<Env>()
    app.get(
      '*',
      async (c, next) => {
        c.set('principal', principal)
        c.set('target', target)
        await next()
      },
      remember(stateOf),
      (c) => {
        made++
        const bytes = new TextEncoder().encode(`answer ${made}`)
        const representation = { status: 200, headers: [], bytes, tag: String(made) }
        c.set('representation', representation)
        c.set('usage', newUsage())
        return respondRead(c, representation)
      },
    )
    const response = await app.request(target.path)
    return { text: await response.text(), isMade: made > before }
  }
}

describe('the answer to a read of what is all in memory (architecture, "Why it is so")', () => {
  it('is remembered for equal requests', async () => {
    const get = serviceIn()
    expect(await get()).toEqual({ text: 'answer 1', isMade: true })
    expect(await get()).toEqual({ text: 'answer 1', isMade: false })
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
  ])('is not given to another %s', async (_, change) => {
    const get = serviceIn()
    await get()
    expect(await get(change)).toEqual({ text: 'answer 2', isMade: true })
  })

  it('is shared by callers who have the same access', async () => {
    const get = serviceIn()
    await get()
    const scopes = new Set(['b.read', 'a.read'])
    const other = { ...person, issuer: 'other', id: 'bob', scopes }
    expect((await get({ principal: other })).isMade).toBe(false)
  })

  it('is forgotten when the state is another one, and not remembered where there is none', async () => {
    for (const state of [() => ({}), () => undefined]) {
      const get = serviceIn(state)
      await get()
      expect((await get()).isMade).toBe(true)
    }
  })

  it('gives way to newer ones when too many are remembered', async () => {
    const get = serviceIn()
    for (let n = 0; n <= mostAnswers; n++) {
      await get({ search: `?${n}` })
    }
    const made = []
    for (const n of [1, mostAnswers, 0]) {
      made.push((await get({ search: `?${n}` })).isMade)
    }
    expect(made).toEqual([false, false, true])
  })
})
