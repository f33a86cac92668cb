import { describe, expect, it } from 'vitest'
import { clientToken, configuredService, get, page, request } from '../../support/service.ts'

const open = await configuredService()

/** The CORS headers of an answer. */
function corsOf(headers: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'))
}

it.each(['GET', 'OPTIONS'])(
  'where no origin is configured, an answer to %s has no CORS headers',
  async (method) => {
    const { headers } = await request(method, '/jsonapi/countries', {
      token: await clientToken(),
      headers: { origin: page, 'access-control-request-method': 'GET' },
    })
    expect(corsOf(headers)).toEqual([])
    expect(headers.vary).not.toContain('Origin')
  },
)

describe('where origins are configured', () => {
  it.each([page, 'https://other.example', undefined])(
    'lets a page of %s read answers, which vary by origin whoever asks',
    async (from) => {
      const sent = { origin: open.origin, headers: { ...(from && { origin: from }) } }
      const { headers } = await get('/countries', await clientToken(), sent)
      expect(headers['access-control-allow-origin']).toBe(from)
      expect(headers.vary).toBe('Accept, Authorization, Origin')
    },
  )

  it('lets it read the headers of the contract, and no others, of errors, too; cookies are never allowed', async () => {
    const sent = { origin: open.origin, headers: { origin: page } }
    const { headers } = await get('/countries', undefined, sent)
    expect(headers['access-control-allow-origin']).toBe(page)
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
    const limits = ['Burst-Capacity', 'Remaining', 'Replenish-Rate', 'Requested-Tokens']
    expect(headers['access-control-expose-headers']?.split(', ').toSorted()).toEqual([
      ...['ETag', 'Idempotency-Replayed', 'Location', 'Retry-After', 'WWW-Authenticate'],
      ...['X-D1-Bookmark', ...limits.map((name) => `X-RateLimit-${name}`), 'X-Request-Id'],
    ])
  })

  it('answers a preflight request with the methods of the path', async () => {
    const { status, text, headers } = await request('OPTIONS', '/jsonapi/users/1', {
      origin: open.origin,
      headers: {
        origin: page,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization, content-type',
      },
    })
    expect([status, text]).toEqual([204, ''])
    expect(headers['access-control-allow-origin']).toBe(page)
    expect(headers['access-control-allow-methods']).toBe(headers.allow)
    expect(headers.allow).toContain('PATCH')
    expect(headers['access-control-allow-headers']?.split(', ').sort()).toEqual([
      ...['Accept', 'Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match'],
      ...['If-None-Match', 'X-D1-Bookmark'],
    ])
  })

  it.each(['https://evil.example', 'http://app.example', 'https://app.example.evil', 'null'])(
    'tells %s nothing',
    async (origin) => {
      for (const method of ['GET', 'OPTIONS']) {
        const { headers } = await request(method, '/jsonapi/countries', {
          origin: open.origin,
          token: await clientToken(),
          headers: { origin, 'access-control-request-method': 'GET' },
        })
        expect(corsOf(headers)).toEqual([])
      }
    },
  )
})
