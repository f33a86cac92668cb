import { exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { expect, inject, it } from 'vitest'
import { get, tokenFor, uniqueSubject } from '../../support/service.ts'
import { audience, issuer } from '../../support/signing-key.ts'

const good = () => {
  const exp = Math.floor(Date.now() / 1000) + 300
  return { iss: issuer, aud: audience, sub: uniqueSubject(), exp }
}
const base64 = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** Signs with another key than the issuer's. */
async function signedBy(alg: string, key: CryptoKey | Uint8Array): Promise<string> {
  return new SignJWT(good()).setProtectedHeader({ alg, kid: 'test' }).sign(key)
}

/** The public half of the issuer's key. */
function publicKey(): JWK {
  const { d: _, ...jwk } = inject('signingKey')
  return jwk
}

// test/unit/auth/token.test.ts has the other faults. These are those of a signature, which the platform verifies.
const rejected: Readonly<Record<string, () => Promise<string>>> = {
  'a tampered payload': async () => {
    const [header, payload = '', signature] = (await tokenFor({ sub: '1' })).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return [header, base64({ ...claims, sub: '2' }), signature].join('.')
  },
  'HS256 by the public key': async () => {
    const key = (await importJWK({ ...publicKey(), ext: true }, 'ES256')) as CryptoKey
    return signedBy('HS256', new TextEncoder().encode(await exportSPKI(key)))
  },
  'another key under the same id': async () =>
    signedBy('ES256', (await generateKeyPair('ES256')).privateKey),
}

it.each(Object.entries(rejected))(
  'a request is answered with 401 for a token with a fault: %s',
  async (_, make) => {
    const token = await make()
    const { faults, headers, text } = await get('/countries', token)
    expect(faults).toEqual(['401 UNAUTHORIZED header Authorization'])
    expect(headers['www-authenticate']).toContain('error="invalid_token"')
    expect(text).not.toContain(token)
  },
)
