import { describe, expect, it, vi } from 'vitest'
import { maxQueryLength } from '../../../src/jsonapi/request/parameters.ts'
import { openLimiter } from '../rate-limit/open.ts'
import { startService } from './service.ts'

const { get, post, remove } = await startService()

describe('a query string of more than 4,096 characters (contract, section 6)', () => {
  /** A query string that is right but for its length. */
  const tooLong = 'fields[tags]='.padEnd(maxQueryLength + 1, 'label,')
  const alone = [
    expect.objectContaining({
      code: 'VALUE_INVALID_FORMAT',
      detail: 'The query string has 4097 characters, but at most 4096 are allowed.',
    }),
  ]

  it('is told, and a shorter one is read', async () => {
    const right = `include=&fields[tags]=${'label,'.repeat(600)}label`.padEnd(maxQueryLength, '&')
    expect((await get(`/articles?${right}`)).status).toBe(200)
    const { status, document } = await get(`/articles?${right}&`)
    expect([status, document.errors]).toEqual([400, alone])
    expect(document.errors[0]).not.toHaveProperty('source')
  })

  it('is measured as the runtime gives it, percent-encoded', async () => {
    const { document } = await get(`/articles?x=${'"'.repeat(1_365)}`)
    expect(document.errors).toEqual([
      expect.objectContaining({
        detail: expect.stringContaining(`has ${2 + 3 * 1_365} characters`),
      }),
    ])
    const shorter = await get(`/articles?x=${'"'.repeat(1_364)}`)
    expect(shorter.document.errors[0].source).toEqual({ parameter: 'x' })
  })

  it('is told alone: beside it nothing of path, query, headers and body is judged', async () => {
    const headers = { 'Idempotency-Key': 'a b' }
    const replies = [
      await get(`/articles/%00?${tooLong}`),
      await post(`/articles?${tooLong}`, { data: 7 }, { headers }),
      await remove(`/articles/a1?${tooLong}`),
      await post(`/articles/a1/relationships/contributors?${tooLong}`, {}),
    ]
    for (const { status, document } of replies) {
      expect([status, document.errors]).toEqual([400, alone])
    }
  })

  it('is told of a transaction, too, and comes after 415', async () => {
    const type = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
    const headers = { Accept: type, 'Content-Type': type, 'If-Match': '"x"' }
    const { document } = await post(`/operations?${tooLong}`, {}, { headers })
    expect(document.errors).toEqual(alone)
    const other = { headers: { ...headers, 'Content-Type': 'text/plain' } }
    expect((await post(`/operations?${tooLong}`, {}, other)).status).toBe(415)
  })

  it('is not read, and costs the least price of its operation, whatever its query and body would', async () => {
    const asked: number[] = []
    const service = await startService(undefined, {
      limiter: {
        ...openLimiter,
        ask(key, cost) {
          asked.push(cost)
          return openLimiter.ask(key, cost)
        },
      },
    })
    const decode = vi.spyOn(globalThis, 'decodeURIComponent')
    const parse = vi.spyOn(JSON, 'parse')
    const dear = `include=author.follows.follows&page[limit]=100&x=%41${'x'.repeat(maxQueryLength)}`
    const people = Array.from({ length: 100 }, (_, i) => ({ type: 'people', id: `p${i}` }))
    await service.get(`/articles?${dear}`)
    expect([decode.mock.calls, parse.mock.calls.length]).toEqual([[], 1])
    await service.patch(`/articles/a1/relationships/contributors?${dear}`, { data: people })
    expect(parse).toHaveBeenCalledTimes(2)
    decode.mockRestore()
    parse.mockRestore()
    expect(asked).toEqual([1, 5])
  })
})
