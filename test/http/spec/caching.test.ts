import { describe, expect, it } from 'vitest'
import { client, get, uniquePerson } from '../../support/service.ts'

describe('ETag and If-None-Match (RFC 9110, section 13.1.2)', () => {
  it.each(['/countries/NO', '/users?filter[id]=1,2', '/users/1/relationships/relatives'])(
    'GET %s has a strong tag, and answers 304 to a client that has it',
    async (path) => {
      const { token } = await uniquePerson()
      const full = await get(path, token)
      const tag = full.headers.etag ?? ''
      expect(tag).toMatch(/^"[^"]+"$/)
      const again = await get(path, token, { headers: { 'if-none-match': `"a", W/${tag}` } })
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', tag])
      expect(again.headers.vary).toBe('Accept, Authorization')
      expect(again.headers).toHaveProperty('x-ratelimit-remaining')
      expect(again.headers).not.toHaveProperty('content-type')
    },
  )

  it('does not answer an error with 304', async () => {
    const { status } = await get('/countries/XX', await client(), {
      headers: { 'if-none-match': '*' },
    })
    expect(status).toBe(404)
  })
})
