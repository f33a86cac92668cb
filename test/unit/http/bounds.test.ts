import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseQuery, readUpTo } from '../../../src/http/bounds.ts'
import { limiterAdmitting, openLimiter } from '../rate-limit/open.ts'
import { startService } from './service.ts'

describe('a query string', () => {
  const read = (search: string) => {
    const { sent, faults } = parseQuery(search)
    return { sent, told: faults.problems.map(({ source }) => Object.values(source ?? {})[0]) }
  }

  it.each<[search: string, sent: object, told: string[]]>([
    ['', {}, []],
    ['?a', { a: '' }, []],
    ['?a=b=c&&d=', { a: 'b=c', d: '' }, []],
    ['?a+b=c+d%2B%26%3D', { 'a b': 'c d+&=' }, []],
    ['?a=+%EF%BB%BF', { a: ' \ufeff' }, []],
    ['?a=+%', { a: null }, ['a']],
    ['?a=%ED%A0%80', { a: null }, ['a']],
    ['?%61=1&a=2', { a: ['1', '2'] }, []],
    ['?%=1', {}, ['%']],
    ['?=1&=2', { '': ['1', '2'] }, []],
    ['?a=%&a=%&a=%41%', { a: null }, ['a', 'a']],
    ['?__proto__=1', JSON.parse('{"__proto__":"1"}'), []],
  ])('is decoded: "%s"', (search, sent, told) => {
    expect(read(search)).toEqual({ sent, told })
  })

  it('costs few exceptions, however many parameters are broken', () => {
    const decode = vi.spyOn(globalThis, 'decodeURIComponent')
    const pairs = Array.from({ length: 1_000 }, (_, index) => `a=%E4${index}`)
    expect(read(`?${pairs.join('&')}`).told).toHaveLength(50)
    expect(decode.mock.calls.length).toBeLessThan(150)
    decode.mockRestore()
  })
})

describe('a body', () => {
  it.each<[what: string, sent: string, read: string]>([
    ['that is shorter than the bound', 'seven', 'seven'],
    ['that is longer than the bound', 'eight by', 'eight b'],
    ['that is empty', '', ''],
  ])('%s costs one read of its stream', async (_, sent, read) => {
    const reading = vi.spyOn(ReadableStreamBYOBReader.prototype, 'read')
    const bytes = await readUpTo(new Response(sent).body, 7)
    expect(new TextDecoder().decode(bytes)).toBe(read)
    expect(reading).toHaveBeenCalledTimes(1)
    reading.mockRestore()
  })

  it('that is absent has no bytes', async () => {
    expect(await readUpTo(null, 7)).toHaveLength(0)
  })
})

describe('a body that does not arrive', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each([
    ['is waited for ten seconds, then the request is a 400', '/articles', 10_000, 2_000, 400],
    ['delays the answer of a request that needs none by a second', '/nothing', 1_000, 2, 404],
  ])('%s', async (_, path, deadlineMs, moreMs, status) => {
    const { send } = await startService()
    const settled = vi.fn()
    send('POST', path, new ReadableStream({ type: 'bytes' })).then(settled)
    await vi.advanceTimersByTimeAsync(deadlineMs - 1)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(moreMs)
    // The name of the caller in the log is a digest, which no timer waits for.
    await vi.waitUntil(() => settled.mock.calls.length > 0)
    expect(settled.mock.calls[0]?.[0]).toMatchObject({ status })
  })
})

it('a body that breaks off is an invalid one: a 400 that is charged, and no failure in the log', async () => {
  const ask = vi.fn(openLimiter.ask)
  const { send, failures } = await startService(undefined, { limiter: { ...openLimiter, ask } })
  const broken = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      controller.error(new Error('Network connection lost.'))
    },
  })
  const response = await send('POST', '/articles', broken)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    errors: [{ code: 'INVALID_PAYLOAD', detail: 'The body has broken off.' }],
  })
  expect(ask).toHaveBeenCalledOnce()
  expect(failures).not.toHaveBeenCalled()
})

it('the deadlines of a request leave no timer behind', async () => {
  const limiter = limiterAdmitting(() => setImmediate())
  const { get } = await startService((_, run) => setImmediate().then(run), { limiter })
  const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')]
  expect((await get('/articles')).status).toBe(200)
  const timers = set.mock.results.map(({ value }) => value)
  expect(timers).not.toEqual([])
  expect(clear.mock.calls.flat()).toEqual(expect.arrayContaining(timers))
})
