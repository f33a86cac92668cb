import { errors } from 'jose'
import { describe, expect, it } from 'vitest'
import { principalOf } from '../../src/auth/claims.ts'
import { goodClaims } from './issuer.ts'

/** Claims without any that tell who calls. */
const base = { iss: 'i', aud: 'a', exp: 1 }

describe('client or person (contract 3, third item)', () => {
  it.each([
    ['sub is absent', { client_id: 'shop' }, 'shop'],
    ['sub is absent and only azp names the client', { azp: 'shop' }, 'shop'],
    ['sub is absent and client_id is not azp', { client_id: 'shop', azp: 'app' }, 'shop'],
    ['sub equals client_id', { sub: 'shop', client_id: 'shop' }, 'shop'],
    ['sub equals azp', { sub: 'shop', azp: 'shop' }, 'shop'],
    ['sub equals azp beside another client_id', { sub: 's', azp: 's', client_id: 'c' }, 'c'],
    ['gty is client-credentials', { sub: 'x@clients', azp: 'x', gty: 'client-credentials' }, 'x'],
    ['gty lists client-credentials', { sub: 'x', gty: ['client-credentials'] }, 'x'],
    ['idtyp is app', { sub: 'x', idtyp: 'app' }, 'x'],
  ])('is a client when %s', (_when, claims, id) => {
    expect(principalOf({ ...base, ...claims })).toMatchObject({ kind: 'client', id, issuer: 'i' })
  })

  it.each([
    ['sub stands alone', { sub: 'ann' }],
    ['sub differs from client_id and azp', { sub: 'ann', client_id: 'shop', azp: 'shop' }],
    ['gty is another grant', { sub: 'ann', gty: 'authorization_code' }],
    ['idtyp is user', { sub: 'ann', idtyp: 'user' }],
    ['sub differs from client_id by case', { sub: 'Shop', client_id: 'shop' }],
  ])('is a person when %s', (_when, claims) => {
    expect(principalOf({ ...base, ...claims })).toMatchObject({ kind: 'user', id: claims.sub })
  })
})

describe('scopes (contract 3, second item)', () => {
  it.each([
    [{ scope: 'a b' }, ['a', 'b']],
    [{ scope: ' a   b ' }, ['a', 'b']],
    [{ scope: '' }, []],
    [{ scp: 'a b' }, ['a', 'b']],
    [{ scp: ['a', 'b'] }, ['a', 'b']],
    [{ scp: [] }, []],
    [{ scope: 'a', scp: ['b'] }, ['a']],
    [{}, []],
  ])('of %j are %j', (claims, scopes) => {
    expect([...principalOf({ ...base, sub: 'ann', ...claims }).scopes]).toEqual(scopes)
  })
})

describe('claims of the wrong shape (contract 3, fifth item)', () => {
  it.each([
    ['sub', { sub: '' }],
    ['sub', { sub: null }],
    ['sub', { sub: 7 }],
    ['sub', { sub: 'a\0b' }],
    ['sub', { sub: '\ud800' }],
    ['sub', { sub: 'a'.repeat(256) }],
    ['sub', { client_id: undefined }],
    ['client_id', { client_id: ['shop'] }],
    ['azp', { sub: 'ann', azp: '' }],
    ['scope', { sub: 'ann', scope: ['a'] }],
    ['scp', { sub: 'ann', scp: [1] }],
    ['idtyp', { sub: 'ann', idtyp: 1 }],
    ['exp', { sub: 'ann', exp: Number.POSITIVE_INFINITY }],
    ['cnf', { sub: 'ann', cnf: { jkt: 'x' } }],
    ['cnf', { sub: 'ann', cnf: null }],
  ])('are refused by the name of %s: %j', (claim, claims) => {
    const judge = () => principalOf({ ...base, ...JSON.parse(JSON.stringify(claims)), ...claims })
    expect(judge).toThrow(
      expect.objectContaining({ code: errors.JWTClaimValidationFailed.code, claim }),
    )
  })

  it('takes a name of 255 characters', () => {
    const sub = 'a'.repeat(255)
    expect(principalOf({ ...goodClaims, sub }).id).toBe(sub)
  })
})
