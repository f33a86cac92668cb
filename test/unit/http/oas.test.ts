import { Hono } from 'hono'
import { expect, it, vi } from 'vitest'
import { oas, placeholders, validateVersion } from '../../../src/http/oas.ts'

it('The description names the URL by which it is asked for, and is made once for each of the last four', async () => {
  const asset = vi.fn(async ({ url }: Request) => new Response(`${url} at ${placeholders.server}`))
  const describe = oas(asset, (c) => new URL(c.req.url).origin, 'https://login.example', false)
  const app = new Hono().get('/oas', validateVersion, describe)
  const get = async (host: string, query = '') => {
    const origin = `https://${host}.example`
    const text = await (await app.request(`${origin}/oas${query}`)).text()
    expect(text).toMatch(new RegExp(` at ${origin}$`))
  }
  for (const host of ['a', 'b', 'a']) {
    await get(host)
  }
  await get('a', '?version=3.1')
  expect(asset).toHaveBeenCalledTimes(3)
  for (const host of ['c', 'd', 'b']) {
    await get(host)
  }
  expect(asset).toHaveBeenCalledTimes(6)
})
