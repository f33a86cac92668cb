import { Hono } from 'hono'
import { expect, it, vi } from 'vitest'
import { oas, placeholders, validateVersion } from '../../../src/http/oas.ts'

/** The description as it is served, with the number of times that its built text was read. */
function described() {
  const asset = vi.fn(async (request: Request) => {
    const [, version] = /^\/oas\.(.+)\.json$/.exec(new URL(request.url).pathname) ?? []
    return new Response(`${version} at ${placeholders.server}, tokens from ${placeholders.authUrl}`)
  })
  const app = new Hono()
  app.get(
    '/oas',
    validateVersion,
    oas(
      asset,
      (c) => ({ server: new URL(c.req.url).origin, authUrl: 'https://auth.example' }),
      false,
    ),
  )
  const get = async (url: string, headers: Record<string, string> = {}) => {
    const response = await app.request(url, { headers })
    return {
      status: response.status,
      text: await response.text(),
      tag: response.headers.get('ETag') ?? '',
    }
  }
  return { asset, get }
}

it('The interface description is made once for each version and address', async () => {
  const { asset, get } = described()
  const first = await get('https://a.example/oas')
  expect(first.text).toBe('3.0 at https://a.example, tokens from https://auth.example')
  expect(await get('https://a.example/oas')).toEqual(first)
  expect((await get('https://a.example/oas?version=3.1')).text).toContain('3.1 at')
  expect(asset).toHaveBeenCalledTimes(2)
})

it('The answer of the assets is cancelled where it holds no description', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { asset, get } = described()
  const cancel = vi.fn()
  asset.mockResolvedValue(new Response(new ReadableStream({ cancel }), { status: 404 }))
  expect((await get('https://a.example/oas')).status).toBe(500)
  expect(cancel).toHaveBeenCalledOnce()
})

it('Four descriptions are remembered at most, so that no caller fills the memory', async () => {
  const { asset, get } = described()
  for (const host of ['a', 'b', 'c', 'd', 'e', 'a']) {
    await get(`https://${host}.example/oas`)
  }
  expect(asset).toHaveBeenCalledTimes(6)
})
