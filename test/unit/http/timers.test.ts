import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { article, insert, person } from '../db/second-domain/domain.ts'
import { limiterAdmitting } from '../rate-limit/open.ts'
import { startService } from './service.ts'

describe('the deadlines of a request (contract, section 14)', () => {
  it('leave no timer behind', async () => {
    // The answer comes only after the request has begun to wait for it.
    const limiter = limiterAdmitting(() => setImmediate())
    // The database answers later, too, but sets no timer.
    const service = await startService((_, run) => setImmediate().then(run), { limiter })
    await insert(service.d1, 'people', person('p01'))
    await insert(service.d1, 'articles', article('a01', { author: 'p01' }))
    const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')]
    const data = { type: 'articles', id: 'a01', attributes: { title: 'Changed' } }
    const { status } = await service.patch('/articles/a01', { data })
    const timers = set.mock.results.map(({ value }) => value)
    expect(status).toBe(204)
    expect(timers).not.toEqual([])
    expect(clear.mock.calls.flat()).toEqual(expect.arrayContaining(timers))
  })
})
