import { describe, expect, it, vi } from 'vitest'
import { advance, never, useFakeClock } from '../db/hanging.ts'
import { insert, tag } from '../db/second-domain/domain.ts'
import { startService } from './service.ts'

useFakeClock()

/** A service of the second domain with one tag. Its database hangs from a moment on. */
async function serviceOfTags() {
  let hangs = false
  const { app, d1 } = await startService((_, run) => (hangs ? never : run()))
  await insert(d1, 'tags', tag('t1'))
  return {
    d1,
    hang: () => {
      hangs = true
    },
    get: async (path: string, headers: Readonly<Record<string, string>> = {}) => {
      const sent = { Authorization: 'Bearer ann', ...headers }
      const response = await app.request(`/root${path}`, { headers: sent })
      return { response, text: await response.text(), tag: response.headers.get('ETag') }
    },
  }
}

describe('an answer from resources in memory (architecture, "Why it is so")', () => {
  it('has its digest made once, and is whole each time', async () => {
    const { get } = await serviceOfTags()
    // The first answer loads the resources, and the next one is made from what is there.
    await get('/tags')
    const first = await get('/tags?include=neighbours')
    const digest = vi.spyOn(crypto.subtle, 'digest')
    const second = await get('/tags?include=neighbours')
    const unchanged = await get('/tags?include=neighbours', { 'If-None-Match': first.tag ?? '' })

    expect(digest).not.toHaveBeenCalled()
    expect([second.text, second.tag]).toEqual([first.text, first.tag])
    expect(unchanged.response.status).toBe(304)
    expect((await get('/tags/t1')).tag).not.toBe(first.tag)
  })

  it('has the id of its own request', async () => {
    const { get } = await serviceOfTags()
    // The first answer loads the resources, the second one is remembered, and both others are that one.
    const all = [await get('/tags'), await get('/tags'), await get('/tags'), await get('/tags')]
    const ids = all.map(({ response }) => response.headers.get('X-Request-Id'))
    expect(new Set(ids).size).toBe(4)
  })

  it('is told in the log like one that is made', async () => {
    const { get } = await serviceOfTags()
    await get('/tags/t1')
    const log = vi.mocked(console.log)
    log.mockClear()
    await get('/tags/t1')
    await get('/tags/t1')
    const [made = {}, recalled = {}] = log.mock.calls.map(([line]) => JSON.parse(String(line)))
    expect(made).toMatchObject({ resource: 't1', roundTrips: 0, status: 200 })
    expect(recalled).toEqual({ ...made, requestId: recalled.requestId })
  })

  it('shows what the renewed resources are', async () => {
    const { d1, get } = await serviceOfTags()
    const before = await get('/tags')
    await insert(d1, 'tags', tag('t2'))
    await advance(5 * 60_000)
    // This request begins the renewal, and is answered from what there is.
    expect((await get('/tags')).tag).toBe(before.tag)
    await advance(0)
    const after = await get('/tags')

    expect([before.text.includes('"t2"'), after.text.includes('"t2"')]).toEqual([false, true])
    expect(after.tag).not.toBe(before.tag)
  })

  it('is never waited for by a request that is refused, even where nothing is in memory yet', async () => {
    const { get, hang } = await serviceOfTags()
    hang()
    expect((await get('/tags?include=nothing')).response.status).toBe(400)
  })

  it('serves on while the database hangs', async () => {
    const { get, hang } = await serviceOfTags()
    await get('/tags')
    const before = await get('/tags')
    hang()
    await advance(10 * 60_000)
    expect((await get('/tags')).tag).toBe(before.tag)
  })

  it('does not spare a request its checks', async () => {
    const { get } = await serviceOfTags()
    await get('/tags')
    await get('/tags')
    const { response } = await get('/tags', { Accept: 'text/html' })
    expect(response.status).toBe(406)
  })
})
