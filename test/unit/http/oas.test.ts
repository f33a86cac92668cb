import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { oas, placeholders, validateVersion } from '../../../src/http/oas.ts'

it('An isolate describes the service at each URL by which it is called', async () => {
  const asset = async () => new Response(placeholders.server)
  const describe = oas(asset, (c) => new URL(c.req.url).origin, 'https://login.example', false)
  const app = new Hono().get('/oas', validateVersion, describe)
  for (const origin of ['https://a.example', 'https://b.example', 'https://a.example']) {
    expect(await (await app.request(`${origin}/oas`)).text()).toBe(origin)
  }
})
