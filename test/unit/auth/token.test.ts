import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  audience,
  compact,
  goodClaims,
  issuer,
  jwks,
  key,
  pass,
  published,
  refusalOf,
  type SigningKey,
  sign,
  signingKey,
  startSeconds,
  useIssuer,
  verify,
  verifyHeader,
} from './issuer.ts'

useIssuer()

let rsa: SigningKey
let own: SigningKey
beforeAll(async () => {
  rsa = await signingKey('rsa', 'RS256')
  own = await signingKey('own')
})
const other = { alg: 'PS256', kid: 'rsa' }
const expired = { ...goodClaims, exp: startSeconds - 60 }

describe('a good token', () => {
  it('stands for the person that it names, with their scopes', async () => {
    expect(await verify(await sign(key))).toEqual({
      kind: 'user',
      issuer,
      id: 'ann',
      scopes: new Set(['users.read', 'users.write']),
    })
  })

  it.each(['RS256', 'PS256', 'ES384', 'Ed25519'])('may be signed by %s', async (alg) => {
    const signer = await signingKey('x', alg)
    jwks.answer = () => published(signer)
    expect(await verify(await sign(signer))).toMatchObject({ id: 'ann' })
  })

  it.each([undefined, 'JWT', 'AT+jwt', 'Application/At+Jwt'])(
    'may have the type %s',
    async (typ) => {
      expect(await verify(await sign(key, goodClaims, { typ }))).toMatchObject({ id: 'ann' })
    },
  )

  it.each([
    ['this service among several audiences', { aud: ['https://other.example', audience] }],
    ['an exp within the tolerance', { exp: startSeconds - 4 }],
    ['an nbf within the tolerance', { nbf: startSeconds + 5 }],
  ])('may have %s', async (_what, claims) => {
    expect(await verify(await sign(key, { ...goodClaims, ...claims }))).toMatchObject({ id: 'ann' })
  })

  it('may be 8 KiB long, with a header of 1 KiB', async () => {
    /** The part of a token, as long as it must be to have so many characters when it is encoded. */
    const padded = (part: object, characters: number) => {
      const { length } = JSON.stringify({ ...part, more: '' })
      return { ...part, more: 'x'.repeat((characters * 3) / 4 - length) }
    }
    const header = padded({ alg: key.alg, kid: key.kid }, 1024)
    const token = await sign(key, padded(goodClaims, 8 * 1024 - 1024 - 2 - 86), header)
    expect([token.length, token.indexOf('.')]).toEqual([8 * 1024, 1024])
    expect(await verify(token)).toMatchObject({ id: 'ann' })
  })
})

describe('a verified token', () => {
  /** How many signatures are verified while something is done. */
  async function signaturesIn(act: () => Promise<unknown>): Promise<number> {
    const verifying = vi.spyOn(crypto.subtle, 'verify')
    await act()
    const { length } = verifying.mock.calls
    verifying.mockRestore()
    return length
  }

  it('is remembered for a minute, by any spelling of its header', async () => {
    const token = await sign(key)
    const first = await verify(token)
    pass(59_999)
    const again = async () => expect((await verifyHeader(`bearer  ${token}`)).principal).toBe(first)
    expect(await signaturesIn(again)).toBe(0)
    pass(1)
    expect(await signaturesIn(() => verify(token))).toBe(1)
  })

  it('is remembered by its whole text', async () => {
    const token = await sign(key)
    await verify(token)
    expect(await refusalOf(() => verify(`${token.slice(0, -4)}AAAA`))).toMatchObject({
      status: 401,
    })
  })

  it('is verified each time within the clock tolerance after its exp, and expires then', async () => {
    const token = await sign(key, { ...goodClaims, exp: startSeconds + 10 })
    await verify(token)
    pass(10_000)
    expect(await signaturesIn(() => verify(token))).toBe(1)
    expect(await signaturesIn(() => verify(token))).toBe(1)
    pass(5_000)
    expect(await refusalOf(() => verify(token))).toMatchObject({ code: 'ACCESS_TOKEN_EXPIRED' })
  })
})

// test/http/api/tokens.test.ts has the faults of a signature.
describe('a refused token', () => {
  const refused: Record<string, readonly [word: string, make: () => string | Promise<string>]> = {
    'with an unknown kid': ['key', async () => sign(await signingKey('unknown'))],
    "with another algorithm than its key's": ['key', () => compact(other, goodClaims)],
    'that brings its own key': [
      'key',
      () => {
        const keys = `data:application/json,${JSON.stringify({ keys: [own.jwk] })}`
        return sign(own, goodClaims, { jwk: own.jwk, jku: keys, x5u: keys })
      },
    ],
    'of two segments': ['signed', () => 'a.b'],
    'whose header is no object': ['signed', () => 'bnVsbA.bnVsbA.AAAA'],
    'whose header is no JSON': ['signed', () => 'AAAA.AAAA.AAAA'],
    'that is no Base64': ['header', () => '\ud800.é. '],
    'over 8 KiB': ['8192', () => sign(key, { ...goodClaims, more: 'x'.repeat(8192) })],
    'with a header over 1 KiB': ['signed', () => sign(key, goodClaims, { x: 'x'.repeat(1024) })],
    'from another issuer': ['iss', () => sign(key, { ...goodClaims, iss: 'https://x.example' })],
    'for another audience': ['aud', () => sign(key, { ...goodClaims, aud: 'https://x.example' })],
    'without exp': ['exp', () => sign(key, { ...goodClaims, exp: undefined })],
    'with nbf in the future': ['nbf', () => sign(key, { ...goodClaims, nbf: startSeconds + 6 })],
    'of the type of an ID token': ['typ', () => sign(key, goodClaims, { typ: 'id+jwt' })],
    'of a type that is a list': ['typ', () => sign(key, goodClaims, { typ: ['JWT'] })],
    'expired and for another audience': ['aud', () => sign(key, { ...expired, aud: 'x' })],
    'expired and changed': [
      'signature',
      async () => (await sign(key, expired)).replace(/[^.]+$/, 'A'.repeat(86)),
    ],
  }

  it.each(Object.entries(refused))(
    '%s is a 401 UNAUTHORIZED that says what is wrong, and repeats nothing',
    async (_what, [word, make]) => {
      jwks.answer = () => published(key, rsa)
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
      expect(refusal.detail?.split(/\W+/)).toContain(word)
      for (const segment of token.split('.').filter((part) => part.length > 5)) {
        expect(JSON.stringify(refusal)).not.toContain(segment)
      }
    },
  )

  it.each([5, 86_400])('that expired %d s ago is a 401 ACCESS_TOKEN_EXPIRED', async (seconds) => {
    const token = await sign(key, { ...goodClaims, exp: startSeconds - seconds })
    expect(await refusalOf(() => verify(token))).toMatchObject({
      status: 401,
      code: 'ACCESS_TOKEN_EXPIRED',
      detail: expect.stringContaining('expired'),
      challenge: expect.stringContaining('error="invalid_token"'),
    })
  })

  it('is told every algorithm that is accepted', async () => {
    const { detail } = await refusalOf(() => verify(compact({ alg: 'HS256' }, goodClaims)))
    expect(detail).toBe(
      'The access token must be signed with one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519.',
    )
  })

  it('causes no fetch if its form, algorithm or type is refused', async () => {
    for (const token of [
      'a.b',
      compact({ alg: 'none' }, goodClaims, ''),
      await sign(key, goodClaims, { typ: 'id+jwt' }),
    ]) {
      expect(await refusalOf(() => verify(token))).toMatchObject({ status: 401 })
    }
    expect(jwks.fetches).toBe(0)
  })
})
