import { describe, expect, it } from 'vitest'
import {
  bearerToken,
  challenge,
  insufficientScope,
  maxTokenLength,
  rejection,
} from '../../../src/auth/bearer.ts'
import { refusalOf } from './issuer.ts'

const resourceMetadata = 'https://api.example/.well-known/x'

describe('the Authorization header (RFC 6750, 2.1)', () => {
  const longest = 'a'.repeat(maxTokenLength)

  it.each([
    ['Bearer a.b.c', 'a.b.c'],
    ['BEARER   aZ09-._~+/==', 'aZ09-._~+/=='],
    [`bearer ${longest}`, longest],
  ])('with the value %j holds a token', (header, token) => {
    expect(bearerToken(header)).toBe(token)
  })

  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearera.b.c', 'a.b.c'])(
    'with the value %j gets a challenge without an error, because no token was sent',
    async (header) => {
      expect(await refusalOf(() => bearerToken(header, resourceMetadata))).toMatchObject({
        status: 401,
        code: 'UNAUTHORIZED',
        detail: expect.stringContaining('Authorization'),
        source: { header: 'Authorization' },
        challenge: 'Bearer realm="api", resource_metadata="https://api.example/.well-known/x"',
      })
    },
  )

  it.each([
    ['two credentials', 'Bearer a.b.c, Bearer d.e.f'],
    ['two tokens', 'Bearer a.b.c d.e.f'],
    ['an auth-param', 'Bearer token="a.b.c"'],
    ['a control character', 'Bearer a.b\u0000.c'],
    ['padding in the middle', 'Bearer a=.b.c'],
    ['a token that is too long', `Bearer ${longest}a`],
  ])('with %s is refused as an invalid token', async (_what, header) => {
    expect(await refusalOf(() => bearerToken(header, resourceMetadata))).toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
      detail: expect.stringContaining('exactly one Bearer token'),
      challenge: expect.stringContaining('error="invalid_token"'),
    })
  })
})

describe('a challenge (RFC 6750, 3; RFC 9728, 5.1)', () => {
  it('escapes quotes and backslashes, and holds only characters that a header may hold', () => {
    const value = challenge({ description: 'a "b" \\ c, é\r\nX: y\u0000' })
    expect(value).toBe('Bearer realm="api", error_description="a \\"b\\" \\\\ c, ???X: y?"')
    expect(new Headers({ 'WWW-Authenticate': value }).get('WWW-Authenticate')).toBe(value)
  })

  it('names the scopes that are missing', () => {
    expect(insufficientScope(['users.read', 'users.write'], resourceMetadata)).toBe(
      'Bearer realm="api", error="insufficient_scope", ' +
        'error_description="The access token lacks a scope.", scope="users.read users.write", ' +
        'resource_metadata="https://api.example/.well-known/x"',
    )
  })

  it('describes why a token is refused', () => {
    expect(rejection('Too old', resourceMetadata, 'ACCESS_TOKEN_EXPIRED').headers).toEqual({
      'WWW-Authenticate':
        'Bearer realm="api", error="invalid_token", error_description="Too old", ' +
        'resource_metadata="https://api.example/.well-known/x"',
    })
  })
})
