import { exportJWK, exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { describe, expect, inject, it } from 'vitest'
import { reads, writes } from '../../support/endpoints.ts'
import { get, person, request, tokenFor, uniqueSubject } from '../../support/service.ts'
import { audience, issuer } from '../../support/signing-key.ts'

const now = () => Math.floor(Date.now() / 1000)
const good = () => ({ iss: issuer, aud: audience, sub: uniqueSubject(), exp: now() + 300 })
const base64 = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** Signs with another key than the issuer's. */
async function signedBy(alg: string, key: CryptoKey | Uint8Array): Promise<string> {
  return new SignJWT(good()).setProtectedHeader({ alg, kid: 'test' }).sign(key)
}

/** The public half of the issuer's key. */
async function publicKey(): Promise<JWK> {
  const { d: _, ...jwk } = inject('signingKey')
  return jwk
}

describe('who has no valid token gets 401 (contract, sections 1 and 3)', () => {
  const endpoints = [...reads.map(({ path }) => ({ method: 'GET', path })), ...writes]

  it.each(endpoints)('at $method $path without a token', async ({ method, path }) => {
    const { status, headers, document } = await request(method, `/jsonapi${path}`)
    expect(status).toBe(401)
    expect(document.errors).toMatchObject([
      { status: '401', code: 'UNAUTHORIZED', source: { header: 'Authorization' } },
    ])
    expect(headers['www-authenticate']).toMatch(/^Bearer\b/)
    expect(headers['www-authenticate']).not.toContain('error')
  })

  it.each(endpoints)('at $method $path with an expired token', async ({ method, path }) => {
    const token = await tokenFor({ expiresIn: -60 })
    const { status, headers, document } = await request(method, `/jsonapi${path}`, { token })
    expect(status).toBe(401)
    expect(document.errors).toMatchObject([{ code: 'ACCESS_TOKEN_EXPIRED' }])
    expect(headers['www-authenticate']).toContain('error="invalid_token"')
  })
})

describe('a request is answered with 401 UNAUTHORIZED (contract, section 3)', () => {
  const rejected: Readonly<Record<string, () => Promise<string>>> = {
    'a tampered payload': async () => {
      const [header, payload = '', signature] = (await tokenFor({ sub: '1' })).split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
      return [header, base64({ ...claims, sub: '2' }), signature].join('.')
    },
    'the algorithm none': async () => `${base64({ alg: 'none' })}.${base64(good())}.`,
    'HS256 by the public key': async () => {
      const key = (await importJWK({ ...(await publicKey()), ext: true }, 'ES256')) as CryptoKey
      return signedBy('HS256', new TextEncoder().encode(await exportSPKI(key)))
    },
    'another key under the same id': async () =>
      signedBy('ES256', (await generateKeyPair('ES256')).privateKey),
    'a key that it brings itself': async () => {
      const { privateKey, publicKey: jwk } = await generateKeyPair('ES256', { extractable: true })
      return new SignJWT(good())
        .setProtectedHeader({ alg: 'ES256', jwk: await exportJWK(jwk) })
        .sign(privateKey)
    },
    'a key that nobody publishes': () => tokenFor({ header: { kid: 'other' } }),
    'another issuer': () => tokenFor({ iss: 'https://other.example' }),
    'another audience': () => tokenFor({ aud: 'https://other.example' }),
    'not valid yet': () => tokenFor({ claims: { nbf: now() + 60 } }),
    'an id token': () => tokenFor({ typ: 'id_token+jwt' }),
  }

  it.each(Object.entries(rejected))('for a token with a fault: %s', async (_, make) => {
    const token = await make()
    const { status, headers, document, text } = await get('/countries', token)
    expect(status).toBe(401)
    expect(document.errors).toMatchObject([
      { code: 'UNAUTHORIZED', source: { header: 'Authorization' } },
    ])
    expect(headers['www-authenticate']).toContain('error="invalid_token"')
    expect(text).not.toContain(token)
  })

  it.each(['', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'bearer', 'Token abc'])(
    'for an Authorization header without a bearer token: "%s"',
    async (authorization) => {
      const { status, headers } = await get('/countries', undefined, { headers: { authorization } })
      expect(status).toBe(401)
      expect(headers['www-authenticate']).toMatch(/^Bearer\b/)
    },
  )
})

describe('an accepted token (contract, section 3)', () => {
  it.each([
    { name: 'type at+jwt', options: { typ: 'at+jwt' } },
    { name: 'no type', options: { typ: undefined } },
    { name: 'several audiences', options: { aud: ['https://other.example', audience] } },
    { name: 'no client', options: { claims: { client_id: undefined } } },
    { name: 'a client but no subject', options: { sub: undefined } },
  ])('may have $name', async ({ options }) => {
    expect((await get('/countries', await tokenFor(options))).status).toBe(200)
  })
})

describe('scopes (contract, section 3)', () => {
  const path = '/users/1/relationships/relatives'

  it.each([
    { claims: { scope: 'users.read' }, status: 200 },
    { claims: { scope: undefined, scp: ['users.read'] }, status: 200 },
    { claims: { scope: 'users.read.all' }, status: 403 },
    { claims: {}, status: 403 },
  ])('$claims answers $status', async ({ claims, status }) => {
    const token = await tokenFor({ claims: claims })
    expect((await get(path, token)).status).toBe(status)
  })

  it.each(writes)('$method $path needs users.write: the read scopes do not write', async (row) => {
    const { status, headers } = await request(row.method, `/jsonapi${row.path}`, {
      token: await person(uniqueSubject()),
      body: { data: null },
    })
    expect(status).toBe(403)
    expect(headers['www-authenticate']).toContain('error="insufficient_scope"')
    expect(headers['www-authenticate']).toContain('scope="users.write"')
  })
})

describe('a client token never has a user’s rights, whatever it carries (contract, section 3)', () => {
  const scope = 'users.read users.sensitive.read users.citizenships.read users.write'
  const clients: Readonly<Record<string, () => Promise<string>>> = {
    'no subject': () => tokenFor({ sub: undefined, scope }),
    'a subject that is the client_id': () => tokenFor({ sub: '1', client: '1', scope }),
    'a subject that is the azp': () =>
      tokenFor({ sub: '1', scope, claims: { client_id: undefined, azp: '1' } }),
    'gty client-credentials': () =>
      tokenFor({ sub: '1', scope, claims: { gty: 'client-credentials' } }),
    'idtyp app': () => tokenFor({ sub: '1', scope, claims: { idtyp: 'app' } }),
  }

  it.each(Object.entries(clients))('as with %s', async (_, make) => {
    const token = await make()
    const user = await get('/users/1', token)
    expect(user.status).toBe(200)
    expect(user.document.data).not.toHaveProperty('attributes')
    expect((await get('/users/1/relationships/relatives', token)).status).toBe(403)
    for (const { method, path } of writes.slice(0, 3)) {
      expect((await request(method, `/jsonapi${path}`, { token })).status).toBe(403)
    }
  })
})
