import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clients, commandRedirectUri, tokenLifetime } from '../../../../scripts/lib/config.ts'
import type { AuthorizationServer } from '../../../../scripts/start/authorization-server.ts'
import { clientToken, personToken } from '../../../../scripts/start/oauth.ts'
import { redirected, startServer, type Visitor, visitor } from './visitor.ts'

const origin = 'http://127.0.0.1:18080'
const audience = `${origin}/jsonapi`

let server: AuthorizationServer
let visit: Visitor
beforeAll(async () => {
  server = await startServer(audience)
  visit = visitor(server.issuer)
})
afterAll(() => server.close())

/** What the service would check of a token (contract, section 3). */
function verified(token: string) {
  const keys = createRemoteJWKSet(new URL(`${server.issuer}/jwks`))
  return jwtVerify(token, keys, {
    issuer: server.issuer,
    audience,
    typ: 'at+jwt',
    algorithms: ['ES256'],
    requiredClaims: ['exp', 'iat', 'jti', 'sub', 'client_id'],
  })
}

function requestToken(form: Readonly<Record<string, string>>, headers: HeadersInit = {}) {
  const body = new URLSearchParams(form)
  return fetch(`${server.issuer}/token`, { method: 'POST', body, headers })
}

const basic = {
  Authorization: `Basic ${btoa(`${clients.machine.id}:${clients.machine.secret}`)}`,
}

describe('the client credentials flow (contract, section 3; RFC 6749, section 4.4)', () => {
  it('issues a JWT access token for the API, signed with a published ES256 key, good for minutes', async () => {
    const { payload, protectedHeader } = await verified(await clientToken(server.issuer))

    expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'at+jwt' })
    expect(payload).toMatchObject({ sub: 'local-machine', client_id: 'local-machine' })
    expect(payload).not.toHaveProperty('scope')
    expect(Number(payload.exp) - Number(payload.iat)).toBe(tokenLifetime)
  })

  it('takes the API as the resource when named (RFC 8707), and no other', async () => {
    const grant = { grant_type: 'client_credentials' }
    const named = await requestToken({ ...grant, resource: audience }, basic)
    const other = await requestToken({ ...grant, resource: 'https://elsewhere.example' }, basic)

    expect(named.status).toBe(200)
    const { access_token: token } = (await named.json()) as { access_token: string }
    await verified(token)
    expect(other.status).toBe(400)
    expect(await other.json()).toMatchObject({ error: 'invalid_target' })
  })
})

describe('the authorization code flow with PKCE (contract, section 3; RFC 7636)', () => {
  it('issues a JWT access token that stands for the picked person, with the scopes asked for', async () => {
    const token = await personToken(server.issuer, '2', 'users.read users.write')
    const { payload } = await verified(token)

    expect(payload).toMatchObject({
      sub: '2',
      client_id: 'local-app',
      scope: 'users.read users.write',
    })
    expect(Number(payload.exp) - Number(payload.iat)).toBe(tokenLifetime)
  })

  it.each([
    ['no challenge', { code_challenge: '', code_challenge_method: '' }],
    ['the method plain', { code_challenge_method: 'plain' }],
  ])('refuses %s', async (_, changes) => {
    const { to, parameters } = redirected(await visit.authorize(changes))

    expect(to).toBe(commandRedirectUri)
    expect(parameters).toMatchObject({ error: 'invalid_request', state: 'a-state' })
  })

  it.each([
    ['an unknown scope', 'users.read users.frobnicate'],
    ['no scope at all', ''],
  ])('refuses %s with invalid_scope', async (_, scope) => {
    const page = await visit.loginPage({ scope })
    const { parameters } = redirected(await page.resume(await page.get()))

    expect(parameters).toMatchObject({ error: 'invalid_scope', state: 'a-state' })
  })

  it.each([
    `${audience}/docs`,
    `${audience}/docs/oauth2-redirect.html`,
    'http://127.0.0.1:4711/callback',
  ])('sends the code to %s, on whatever port of this machine', async (uri) => {
    const page = await visit.loginPage({ redirect_uri: uri })
    const { to, parameters } = redirected(await page.resume(await page.post({ person: '1' })))

    expect(to).toBe(uri)
    expect(parameters).toMatchObject({ code: expect.any(String), state: 'a-state' })
  })
})

describe('the token endpoint under CORS', () => {
  it('is open to the documentation’s page', async () => {
    const response = await requestToken(
      { grant_type: 'client_credentials' },
      { ...basic, Origin: origin },
    )

    expect(response.status).toBe(200)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(origin)
  })

  it('is closed to other pages', async () => {
    const response = await requestToken(
      { grant_type: 'client_credentials' },
      { ...basic, Origin: 'https://elsewhere.example' },
    )

    expect(response.status).toBe(400)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })
})
