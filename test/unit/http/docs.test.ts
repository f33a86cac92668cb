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

it('A path with dots that nobody has resolved leads to no other folder', async () => {
  const asset = vi.fn(async () => new Response())
  const app = new Hono()
  app.get('*', docs('', asset, 'https://auth.example', ''))
  app.onError((_, c) => c.body(null, 404))
  for (const path of ['..', '%2e%2e', 'x/../..']) {
    const url = 'https://a.example/docs/x'
    const raw = new Proxy(new Request(url), {
      get: (target, name) =>
        name === 'url' ? url.replace(/x$/, `${path}/oas.json`) : Reflect.get(target, name),
    })
    expect((await app.request(raw)).status).toBe(404)
  }
  expect(asset).not.toHaveBeenCalled()
})
