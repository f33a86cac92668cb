import { describe, expect, it } from 'vitest'
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
    get: async (path: string) => {
      const headers = { Authorization: 'Bearer ann' }
      const response = await app.request(`/root${path}`, { headers })
      return { response, text: await response.text(), tag: response.headers.get('ETag') }
    },
  }
}

describe('an answer from resources in memory', () => {
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
})
