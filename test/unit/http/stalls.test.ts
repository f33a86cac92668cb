import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { advance, useFakeClock } from '../db/hanging.ts'
import { storeOptions } from '../db/store-options.ts'
import { limiterAdmitting } from '../rate-limit/open.ts'
import { startService } from './service.ts'

useFakeClock()

const requests = 1_000

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** A service whose database answers nothing from a moment on. What hangs is held by the database alone. */
async function stallingService() {
  const held: unknown[] = []
  let hangs = false
  const admits = vi.fn(async () => {})
  const { app, roundTrips } = await startService(
    (_, run) => (hangs ? new Promise((resolve) => held.push(resolve)) : run()),
    { limiter: limiterAdmitting(admits) },
  )
  return {
    held,
    roundTrips,
    asked: () => admits.mock.calls.length,
    hang: () => {
      hangs = true
    },
    get: (path: string) => {
      const headers = { Authorization: 'Bearer ann' }
      const request = new Request(`http://service.example/root${path}`, { headers })
      return { request, response: Promise.resolve(app.fetch(request)) }
    },
  }
}

describe('a database that stalls (contract, section 14)', () => {
  it('delays no request that is answered from memory, while a thousand reads wait for it', async () => {
    const { get, hang, held, roundTrips, asked } = await stallingService()
    expect((await get('/tags').response).status).toBe(200)
    hang()
    const before = { roundTrips: roundTrips.length, asked: asked() }
    const waiting = Array.from({ length: requests }, () => get('/articles').response)
    const answered = await Promise.all(
      Array.from({ length: 100 }, async () => (await get('/tags').response).status),
    )
    // The clock stands still: none of them has waited.
    expect(answered).toEqual(Array(100).fill(200))
    await advance(0)
    expect(held).toHaveLength(requests)
    expect(roundTrips).toHaveLength(before.roundTrips + requests)
    expect(asked() - before.asked).toBe(requests + 100)

    await advance(storeOptions.deadlineMs)
    const statuses = (await Promise.all(waiting)).map(({ status }) => status)
    expect(statuses).toEqual(Array(requests).fill(500))
  })

  it('leaves nothing behind after the deadline: no timer, and no request or answer in memory', async () => {
    const { get, hang, held } = await stallingService()
    hang()
    const things: WeakRef<object>[] = []
    const send = async (): Promise<number> => {
      const { request, response } = get('/articles')
      things.push(new WeakRef(request))
      const answer = await response
      things.push(new WeakRef(answer))
      return answer.status
    }
    const waiting = Array.from({ length: requests }, send)
    await advance(0)
    collectGarbage()
    // Nothing is gone while it is needed, so that what is gone later says something.
    expect(things.filter((thing) => thing.deref())).toHaveLength(requests)
    await advance(storeOptions.deadlineMs)
    expect(await Promise.all(waiting)).toEqual(Array(requests).fill(500))
    expect(vi.getTimerCount()).toBe(0)
    waiting.length = 0
    await advance(0)
    collectGarbage()
    // The database holds its calls for ever, and yet they hold nothing of their requests.
    expect(held).toHaveLength(requests)
    expect(things).toHaveLength(2 * requests)
    expect(things.filter((thing) => thing.deref()).length).toBeLessThan(requests / 100)
  })
})
