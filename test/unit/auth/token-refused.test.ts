import fc from 'fast-check'
import { exportSPKI, importJWK, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/jsonapi/errors.ts'
import { anyText } from '../../support/texts.ts'
import { runs } from '../runs.ts'
import {
  compact,
  goodClaims,
  outcome,
  published,
  refusalOf,
  sign,
  signingKey,
  startSeconds,
} from './issuer.ts'
import {
  algorithms,
  jwks,
  key,
  keyFor,
  rsa,
  useVerifier,
  verify,
  verifyHeader,
} from './verifier.ts'

useVerifier()

describe('a refused token (contract, section 3)', () => {
  const refused: Record<string, () => string | Promise<string>> = {
    'with a tampered payload': async () => {
      const [header, , signature] = (await sign(key)).split('.')
      const [, payload] = compact({}, { ...goodClaims, sub: 'eve' }).split('.')
      return `${header}.${payload}.${signature}`
    },
    'with another token’s signature': async () => {
      const [header, payload] = (await sign(key)).split('.')
      const [, , signature] = (await sign(key, { ...goodClaims, sub: 'eve' })).split('.')
      return `${header}.${payload}.${signature}`
    },
    'signed by another key under a published kid': async () =>
      sign({ ...(await signingKey('x')), kid: key.kid }),
    'with an unknown kid': async () => sign(await signingKey('unknown')),
    'with a kid that is no string': () => compact({ alg: 'ES256', kid: 7 }, goodClaims),
    'without a kid where several keys fit': async () => {
      jwks.answer = async () => published(key, await signingKey('second'))
      return sign(key, goodClaims, { kid: undefined })
    },
    'signed with HS256 by the public key': async () => {
      const publicKey = await importJWK({ ...rsa.jwk, ext: true }, 'RS256', { extractable: true })
      if (!(publicKey instanceof CryptoKey)) {
        throw new Error('not a key')
      }
      return new SignJWT({ ...goodClaims })
        .setProtectedHeader({ alg: 'HS256', kid: rsa.kid })
        .sign(new TextEncoder().encode(await exportSPKI(publicKey)))
    },
    'with alg none': () => compact({ alg: 'none' }, goodClaims, ''),
    'with alg NONE': () => compact({ alg: 'NONE', kid: key.kid }, goodClaims, ''),
    'with an algorithm its key is not for': () =>
      sign({ ...keyFor('PS256'), kid: rsa.kid }, goodClaims),
    'with a critical header nobody knows': () =>
      compact({ alg: 'ES256', kid: key.kid, crit: ['x'], x: 1 }, goodClaims),
    'that brings its own key': async () => {
      const own = await signingKey('own')
      return sign(own, goodClaims, { jwk: own.jwk })
    },
    'of two segments': () => 'a.b',
    'of four segments': async () => `${await sign(key)}.x`,
    'with a header that is no JSON': () => 'abc.def.ghi',
    'over 8 KiB': () => sign(key, { ...goodClaims, more: 'x'.repeat(8192) }),
    'with a header over 1 KiB': () => sign(key, goodClaims, { more: 'x'.repeat(1024) }),
    'from another issuer': () => sign(key, { ...goodClaims, iss: 'https://other.example' }),
    'without an issuer': () => sign(key, { ...goodClaims, iss: undefined }),
    'for another audience': () => sign(key, { ...goodClaims, aud: 'https://other.example' }),
    'without exp': () => sign(key, { ...goodClaims, exp: undefined }),
    'with exp as a string': () => sign(key, { ...goodClaims, exp: `${goodClaims.exp}` }),
    'with nbf in the future': () => sign(key, { ...goodClaims, nbf: startSeconds + 6 }),
    'with nbf as a string': () => sign(key, { ...goodClaims, nbf: '1' }),
    'without sub and client id': () =>
      sign(key, { ...goodClaims, sub: undefined, client_id: undefined }),
    'bound to a key (cnf)': () => sign(key, { ...goodClaims, cnf: { jkt: 'x' } }),
    'of the type of an ID token': () => sign(key, goodClaims, { typ: 'id+jwt' }),
    'of the type of a DPoP proof': () => sign(key, goodClaims, { typ: 'dpop+jwt' }),
    'of a type that is no string': () =>
      compact({ alg: 'ES256', kid: key.kid, typ: 1 }, goodClaims),
    'of a type that is a list': () => sign(key, goodClaims, { typ: ['JWT'] }),
    'expired and for another audience': () =>
      sign(key, { ...goodClaims, aud: 'x', exp: startSeconds - 60 }),
    'expired and from another issuer': () =>
      sign(key, { ...goodClaims, iss: 'x', exp: startSeconds - 60 }),
    'expired and bound to a key': () =>
      sign(key, { ...goodClaims, cnf: { jkt: 'x' }, exp: startSeconds - 60 }),
    'expired and tampered with': async () => {
      const token = await sign(key, { ...goodClaims, exp: startSeconds - 60 })
      return `${token.slice(0, token.lastIndexOf('.'))}.${'A'.repeat(86)}`
    },
  }

  it.each(Object.entries(refused))('%s is answered with 401 UNAUTHORIZED', async (_what, make) => {
    const token = await make()
    const refusal = await refusalOf(() => verify(token))
    expect(refusal).toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
      source: { header: 'Authorization' },
      challenge: expect.stringMatching(
        /^Bearer realm="api", error="invalid_token", error_description="[^"]+", resource_metadata="https:\/\/api\.example\/meta"$/,
      ),
    })
    for (const segment of token.split('.').filter((part) => part.length > 5)) {
      expect(JSON.stringify(refusal)).not.toContain(segment)
    }
  })

  it.each([
    ['from another issuer', 'iss'],
    ['for another audience', 'aud'],
    ['without exp', 'exp'],
    ['with nbf in the future', 'nbf'],
    ['without sub and client id', 'sub'],
    ['bound to a key (cnf)', 'cnf'],
    ['of the type of an ID token', 'typ'],
    ['of a type that is a list', 'typ'],
    ['expired and for another audience', 'aud'],
    ['with a tampered payload', 'signature'],
    ['with an unknown kid', 'key'],
    ['with alg none', 'ES256'],
    ['with a header that is no JSON', 'JWT'],
  ])('%s is answered with the word that says what is wrong: %s', async (what, word) => {
    const refusal = await refusalOf(async () => verify((await refused[what]?.()) ?? ''))
    expect(refusal.detail?.split(/\W+/)).toContain(word)
  })

  it.each([5, 60, 86_400])(
    'that expired %d s ago is answered with 401 ACCESS_TOKEN_EXPIRED',
    async (seconds) => {
      const token = await sign(key, { ...goodClaims, exp: startSeconds - seconds })
      expect(await refusalOf(() => verify(token))).toMatchObject({
        status: 401,
        code: 'ACCESS_TOKEN_EXPIRED',
        detail: expect.stringContaining('expired'),
        source: { header: 'Authorization' },
        challenge: expect.stringContaining('error="invalid_token"'),
      })
    },
  )

  it('causes no fetch when its algorithm, type or form is refused', async () => {
    for (const make of ['with alg none', 'of two segments', 'of the type of an ID token']) {
      await refusalOf(async () => verify((await refused[make]?.()) ?? ''))
    }
    expect(jwks.calls).toBe(0)
  })

  it('is answered with 500 and Retry-After, not with 401, while no keys can be fetched', async () => {
    jwks.answer = () => new Response('', { status: 503 })
    const refusal = await refusalOf(async () => verify(await sign(key)))
    expect(refusal).toMatchObject({ status: 500, code: 'INTERNAL_SERVER_ERROR', challenge: '' })
    expect(refusal.retryAfter).toBeGreaterThanOrEqual(1)
  })
})

describe('any Authorization header', () => {
  it('leads to a caller or to a 401, whatever it holds', async () => {
    const part = fc.oneof(
      fc.base64String().map((text) => text.replaceAll('=', '')),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
      fc
        .record({ alg: fc.constantFrom(...algorithms, 'none', 'HS256'), kid: fc.string() })
        .map((header) => Buffer.from(JSON.stringify(header)).toString('base64url')),
    )
    const header = fc.oneof(
      anyText(),
      fc.string().map((text) => `Bearer ${text}`),
      fc.tuple(part, part, part).map((parts) => `Bearer ${parts.join('.')}`),
    )
    await fc.assert(
      fc.asyncProperty(header, async (value) => {
        const result = await outcome(() => verifyHeader(value))
        expect(result).toBeInstanceOf(ApiError)
        expect(result).toMatchObject({ status: 401 })
      }),
      { numRuns: runs(500) },
    )
  })
})
