import { describe, expect, it, vi } from 'vitest'
import { createVerifier } from '../../../src/auth/token.ts'
import {
  audience,
  goodClaims,
  issuer,
  published,
  refusalOf,
  rules,
  sign,
  signingKey,
  start,
  startSeconds,
} from './issuer.ts'
import {
  algorithms,
  jwks,
  key,
  keyFor,
  keys,
  rsa,
  time,
  useVerifier,
  verify,
  verifyHeader,
} from './verifier.ts'

useVerifier()

/** The part of a token, with what makes it so many characters long when it is encoded. */
function padded<Part extends object>(part: Part, characters: number): Part {
  const { length } = JSON.stringify({ ...part, more: '' })
  return { ...part, more: 'x'.repeat((characters * 3) / 4 - length) }
}

describe('a good token', () => {
  it('stands for the person it names, with their scopes', async () => {
    expect(await verify(await sign(key))).toEqual({
      kind: 'user',
      issuer,
      id: 'ann',
      scopes: new Set(['users.read', 'users.write']),
    })
  })

  it.each(algorithms)('may be signed with %s', async (alg) => {
    expect(await verify(await sign(keyFor(alg)))).toMatchObject({ id: 'ann' })
  })

  it.each([
    undefined,
    'JWT',
    'jwt',
    'at+jwt',
    'AT+JWT',
    'application/at+jwt',
    'Application/At+Jwt',
  ])('may have the type %s (RFC 9068, 2.1)', async (typ) => {
    expect(await verify(await sign(key, goodClaims, { typ }))).toMatchObject({ id: 'ann' })
  })

  it.each([
    ['us among several audiences', { aud: ['https://other.example', audience] }],
    ['an exp within the tolerance', { exp: startSeconds - 4 }],
    ['an nbf within the tolerance', { nbf: startSeconds + 5 }],
  ])('may have %s', async (_what, claims) => {
    expect(await verify(await sign(key, { ...goodClaims, ...claims }))).toMatchObject({ id: 'ann' })
  })

  it('may be 8 KiB long', async () => {
    const [header = '', , signature = ''] = (await sign(key)).split('.')
    const payload = 8 * 1024 - `${header}..${signature}`.length
    const token = await sign(key, padded(goodClaims, payload))
    expect(token).toHaveLength(8 * 1024)
    expect(await verify(token)).toMatchObject({ id: 'ann' })
  })

  it('may have a header of 1 KiB', async () => {
    const token = await sign(key, goodClaims, padded({ alg: key.alg, kid: key.kid }, 1024))
    expect(token.indexOf('.')).toBe(1024)
    expect(await verify(token)).toMatchObject({ id: 'ann' })
  })

  it('may be meant for any of several audiences of the service', async () => {
    const either = createVerifier({
      ...rules,
      issuer,
      audience: ['https://b.example', audience],
      keys,
    })
    expect(await either(`Bearer ${await sign(key)}`)).toMatchObject({ id: 'ann' })
  })
})

describe('a verified token', () => {
  it('is known at once the next time, without another verification', async () => {
    const token = await sign(key)
    const first = await verify(token)
    const again = verify(token)
    expect(again).not.toBeInstanceOf(Promise)
    expect(again).toBe(first)
    expect(keys.finds).toBe(1)
  })

  it('is known by any spelling of the header, and is remembered once', async () => {
    const [token, other] = [await sign(key), await sign(key, { ...goodClaims, sub: 'bob' })]
    await verify(other)
    const first = await verifyHeader(`bearer  ${token}`)
    expect(verify(token)).toBe(first)
    for (let spaces = 1; spaces <= 1_001; spaces++) {
      expect(await verifyHeader(`BEARER${' '.repeat(spaces)}${token}`)).toBe(first)
    }
    expect(await verify(other)).toMatchObject({ id: 'bob' })
    expect(keys.finds).toBe(2)
  })

  it('is verified at each use between its exp and the end of the clock tolerance, and has expired then', async () => {
    const token = await sign(key, { ...goodClaims, exp: startSeconds + 10 })
    await verify(token)
    time.now = start + 12_000
    await verify(token)
    await verify(token)
    expect(keys.finds).toBe(3)
    time.now = start + 15_000
    expect(await refusalOf(() => verify(token))).toMatchObject({ code: 'ACCESS_TOKEN_EXPIRED' })
  })

  it('is forgotten when the keys change, and refused when its key is gone', async () => {
    const other = await signingKey('other')
    const token = await sign(key)
    await verify(token)
    jwks.answer = () => published(other)
    time.now = start + 30_000
    expect(await verify(await sign(other))).toMatchObject({ id: 'ann' })
    expect(await refusalOf(() => verify(token))).toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('is not remembered when its key was withdrawn while it was verified', async () => {
    const other = await signingKey('other')
    const current = { ...goodClaims, exp: startSeconds + 3_600 }
    const token = await sign(rsa, current)
    await verify(await sign(key))
    const { subtle } = crypto
    const { importKey } = subtle
    const late = Promise.withResolvers<void>()
    const spy = vi.spyOn(subtle, 'importKey').mockImplementation(async (...given: unknown[]) => {
      const [, jwk] = given as [string, JsonWebKey]
      if (jwk.n === rsa.jwk.n) {
        await late.promise
      }
      return Reflect.apply(importKey, subtle, given)
    })
    jwks.answer = () => published(other)
    time.now = start + 10 * 60_000
    const verified = verify(token)
    expect(await verify(await sign(other, current))).toMatchObject({ id: 'ann' })
    late.resolve()
    expect(await verified).toMatchObject({ id: 'ann' })
    spy.mockRestore()
    expect(await refusalOf(() => verify(token))).toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('is not remembered when it was refused', async () => {
    const token = await sign(key, { ...goodClaims, aud: 'x' })
    await refusalOf(() => verify(token))
    await refusalOf(() => verify(token))
    expect(keys.finds).toBe(2)
  })
})
