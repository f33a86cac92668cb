import { describe, expect, it } from 'vitest'
import {
  bearerToken,
  challenge,
  insufficientScope,
  maxTokenLength,
  rejection,
} from '../../../src/auth/bearer.ts'
import { refusalOf } from './issuer.ts'

const resource = { resourceMetadata: 'https://api.example/.well-known/x' }

describe('the Authorization header (contract, section 3; RFC 6750, 2.1)', () => {
  it.each(['Bearer a.b.c', 'bearer a.b.c', 'BEARER a.b.c', 'Bearer   a.b.c'])(
    'with the value %j holds a token',
    (header) => {
      expect(bearerToken(header)).toBe('a.b.c')
    },
  )

  it('holds a token of every character that token68 allows', () => {
    expect(bearerToken('Bearer aZ09-._~+/==')).toBe('aZ09-._~+/==')
  })

  it('may hold the longest token, with up to 64 characters before it', async () => {
    const token = 'a'.repeat(maxTokenLength)
    expect(bearerToken(`${'Bearer'.padEnd(64)}${token}`)).toBe(token)
    const refusal = await refusalOf(() => bearerToken(`${'Bearer'.padEnd(65)}${token}`))
    expect(refusal.status).toBe(401)
  })

  it.each([undefined, null, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearera.b.c', 'a.b.c'])(
    'with the value %j gets a challenge without an error, since no token was sent',
    async (header) => {
      expect(await refusalOf(() => bearerToken(header, resource))).toMatchObject({
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
    ['a token beyond all bounds', `Bearer ${'a'.repeat(100_000)}`],
  ])('with %s is refused as an invalid token', async (_what, header) => {
    expect(await refusalOf(() => bearerToken(header, resource))).toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
      detail: expect.stringContaining('Bearer'),
      source: { header: 'Authorization' },
      challenge: expect.stringContaining('error="invalid_token"'),
    })
  })
})

describe('a challenge (RFC 6750, 3; RFC 9728, 5.1)', () => {
  it('has at least a realm', () => {
    expect(challenge({})).toBe('Bearer realm="api"')
  })

  it('escapes quotes and backslashes, and holds only characters that a header may hold', () => {
    const value = challenge({ description: 'a "b" \\ c, é\r\nX: y\u0000' })
    expect(value).toBe('Bearer realm="api", error_description="a \\"b\\" \\\\ c, ???X: y?"')
    expect(new Headers({ 'WWW-Authenticate': value }).get('WWW-Authenticate')).toBe(value)
  })

  it('names the scopes that are missing', () => {
    expect(insufficientScope(['users.read', 'users.write'], resource)).toBe(
      'Bearer realm="api", error="insufficient_scope", ' +
        'error_description="The access token lacks a scope.", scope="users.read users.write", ' +
        'resource_metadata="https://api.example/.well-known/x"',
    )
  })

  it('describes why a token is refused', () => {
    expect(rejection('Too old', resource, 'ACCESS_TOKEN_EXPIRED').headers).toEqual({
      'WWW-Authenticate':
        'Bearer realm="api", error="invalid_token", error_description="Too old", ' +
        'resource_metadata="https://api.example/.well-known/x"',
    })
  })
})
