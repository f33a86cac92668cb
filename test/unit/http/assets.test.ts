import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { docs } from '../../../src/http/docs.ts'
import { oas, placeholders, validateVersion } from '../../../src/http/oas.ts'

const authUrl = 'https://auth.example'

/** An application whose pages are made from assets. */
function appOn(asset: (request: Request) => Promise<Response>) {
  const urlOf = (c: { req: { url: string } }) => new URL(c.req.url).origin
  const app = new Hono()
  app.get('/oas', validateVersion, oas(asset, urlOf, authUrl, false))
  app.get('/docs/*', docs('', asset, authUrl, ''))
  app.onError((_, c) => c.body(null, 500))
  return app
}

it.each(['/oas', '/docs/x'])(
  '%s cancels an answer of the assets that holds no page',
  async (path) => {
    const cancel = vi.fn()
    const app = appOn(async () => new Response(new ReadableStream({ cancel }), { status: 404 }))
    expect((await app.request(path)).status).toBe(500)
    expect(cancel).toHaveBeenCalledOnce()
  },
)

describe('The interface description', () => {
  it('is made once for each version and address, and four are remembered at most', async () => {
    const asset = vi.fn(
      async ({ url }: Request) => new Response(`${url} at ${placeholders.server}`),
    )
    const app = appOn(asset)
    const get = async (url: string) => (await app.request(url)).text()
    expect(await get('https://a.example/oas')).toBe(
      'https://a.example/oas.3.0.json at https://a.example',
    )
    await get('https://a.example/oas')
    await get('https://a.example/oas?version=3.1')
    expect(asset).toHaveBeenCalledTimes(2)
    for (const host of ['b', 'c', 'd', 'a']) {
      await get(`https://${host}.example/oas`)
    }
    expect(asset).toHaveBeenCalledTimes(6)
  })
})
