import { Hono } from 'hono'
import { expect, it } from 'vitest'
import type { AppEnv } from '../../../src/http/context.ts'
import { requestTarget, sentQuery, targetOfUrl } from '../../../src/http/query.ts'

it.each([
  ['http://x/', ['/', '']],
  ['https://x.example:8443/a/b', ['/a/b', '']],
  ['http://x/a?', ['/a', '?']],
  ['http://x/a?b=/c?d', ['/a', '?b=/c?d']],
  ['http://x/%C3%A9//?%', ['/%C3%A9//', '?%']],
])('the target of %s is its path and its query string as they stand there', (url, target) => {
  expect(targetOfUrl(url)).toEqual(target)
})

it('a handler that asks for the path and the query string several times reads the URL of its request once', async () => {
  let reads = 0
  class CountedRequest extends Request {
    override get url() {
      reads++
      return super.url
    }
  }
  const app = new Hono<AppEnv>()
  app.get('/a', (c) => {
    reads = 0
    expect(requestTarget(c)).toEqual(['/a', '?b=c'])
    expect(requestTarget(c)).toEqual(['/a', '?b=c'])
    expect(sentQuery(c).sent).toEqual({ b: 'c' })
    return c.body(null, 204)
  })
  const response = await app.fetch(new CountedRequest('http://x/a?b=c'))
  expect(response.status).toBe(204)
  expect(reads).toBe(1)
})
