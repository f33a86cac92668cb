import { Hono } from 'hono'
import { expect, it, vi } from 'vitest'
import { docs } from '../../../src/http/docs.ts'

it('The answer of the assets is cancelled where there is no such page', async () => {
  const cancel = vi.fn()
  const asset = async () => new Response(new ReadableStream({ cancel }), { status: 404 })
  const app = new Hono()
  app.get('/docs/*', docs('', asset, 'https://auth.example', ''))
  app.onError((_, c) => c.body(null, 404))
  expect((await app.request('https://a.example/docs/x')).status).toBe(404)
  expect(cancel).toHaveBeenCalledOnce()
})
