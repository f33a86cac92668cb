import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseQuery } from '../../../src/http/bounds.ts'
import { ProblemList } from '../../../src/jsonapi/problems.ts'
import { openLimiter } from './app-options.ts'
import { startService } from './service.ts'

describe('a query string', () => {
  const read = (search: string) => {
    const faults = new ProblemList()
    const sent = parseQuery({ path: '/', search }, faults)
    return { sent, told: faults.kept.map(({ source }) => Object.values(source ?? {})[0]) }
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
})

it('a body that does not arrive is waited for ten seconds, then the request is a 400', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const { postStream } = await startService()
  const settled = vi.fn()
  postStream('/articles', new ReadableStream({ type: 'bytes' })).then(settled)
  await vi.advanceTimersByTimeAsync(9_999)
  expect(settled).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(2_000)
  // What is left does not wait for a timer.
  await vi.waitUntil(() => settled.mock.calls.length > 0)
  expect(settled.mock.calls[0]?.[0]).toMatchObject({ status: 400 })
})

it('a body that breaks off is an invalid one: a 400 that is charged, and no failure in the log', async () => {
  const ask = vi.fn(openLimiter.ask)
  const { postStream, failures } = await startService(undefined, {
    limiter: { ...openLimiter, ask },
  })
  const broken = new ReadableStream({
    type: 'bytes',
    pull(controller) {
      controller.error(new Error('Network connection lost.'))
    },
  })
  const response = await postStream('/articles', broken)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    errors: [{ code: 'INVALID_PAYLOAD', detail: 'The body has broken off.' }],
  })
  expect(ask).toHaveBeenCalledOnce()
  expect(failures).not.toHaveBeenCalled()
})
