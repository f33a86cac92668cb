import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { docs } from '../../../src/http/docs.ts'
import { errorResponse } from '../../../src/http/errors.ts'

/** The documentation below `/root`, with files that are all there. */
function pages() {
  const asset = vi.fn(async (_: Request) => new Response('found'))
  const app = new Hono()
  const options = {
    root: '/root',
    asset,
    authUrl: 'https://issuer.example',
    clientId: '',
  }
  app.get('/root/docs/*', docs(options))
  app.onError((error, c) => errorResponse(c, error))
  return { app, asset }
}

describe('files of the documentation', () => {
  it('are asked of the static assets, without the root path', async () => {
    const { app, asset } = pages()
    expect((await app.request('/root/docs/docs.css')).status).toBe(200)
    expect(asset.mock.calls[0]?.[0].url).toMatch(/\/docs\/docs\.css$/)
  })

  it.each([
    ['of slashes', '/'.repeat(15_000)],
    ['of 200 characters', 'x'.repeat(200)],
  ])('a path %s is a 404 that costs the static assets nothing', async (_, path) => {
    const { app, asset } = pages()
    expect((await app.request(`/root/docs/${path}`)).status).toBe(404)
    expect(asset).not.toHaveBeenCalled()
  })
})
