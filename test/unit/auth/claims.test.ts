import { errors, type JWTPayload } from 'jose'
import { describe, expect, it } from 'vitest'
import { principalOf } from '../../../src/auth/claims.ts'
import { goodClaims, issuer, rules } from './issuer.ts'

/** Claims without any that tell who calls. */
const { sub: _, client_id: __, ...base } = goodClaims

describe('the caller of a token', () => {
  // profiles.test.ts tries every mark of a machine on the token of every person.
  it.each([
    ['sub is absent and only azp names the client', { azp: 'shop' }, 'shop'],
    ['sub equals azp beside another client_id', { sub: 's', azp: 's', client_id: 'c' }, 'c'],
    ['there are no scopes and no client', { sub: 'ann', scope: '' }, 'ann'],
    ['every claim names a client', { client_id: '1', azp: '2', cid: '3', appid: '4' }, '1'],
    ['only appid names the client', { appid: 'x' }, 'x'],
    ['cid is empty, and so no id', { cid: '', appid: 'x' }, 'x'],
    ['cid is too long for an id', { cid: 'a'.repeat(256), appid: 'x' }, 'x'],
    ['cid is as long as an id may be', { cid: 'a'.repeat(255), appid: 'x' }, 'a'.repeat(255)],
    // Characters are counted as code points.
    ['cid is as long in characters', { cid: '😀'.repeat(255), appid: 'x' }, '😀'.repeat(255)],
    ['no client claim is an id', { sub: 'x@clients', cid: 'a\0', appid: '\ud800' }, 'x@clients'],
  ])('is a client when %s', (_when, claims, id) => {
    expect(principalOf({ ...base, ...claims }, rules)).toMatchObject({ kind: 'client', id, issuer })
  })

  it.each([
    ['sub differs from client_id and azp', { sub: 'ann', client_id: 'shop', azp: 'shop' }],
    ['gty is another grant', { sub: 'ann', gty: 'authorization_code' }],
    ['idtyp is user', { sub: 'ann', idtyp: 'user' }],
    ['sub differs from client_id by case', { sub: 'Shop', client_id: 'shop' }],
    ['@clients stands within sub', { sub: 'ann@clients.example' }],
    ['service-account- stands within sub', { sub: 'a-service-account-b' }],
    ['one scope of several is of this service', { sub: 'ann', scope: 'openid users.write' }],
    ['cid means something else', { sub: 'ann', cid: 7, appid: ['x'] }],
    ['every other claim is null', { sub: 'ann', client_id: null, idtyp: null, clientHost: null }],
  ])('is a person when %s', (_when, claims) => {
    const principal = principalOf({ ...base, ...claims }, rules)
    expect(principal).toMatchObject({ kind: 'user', id: claims.sub })
  })
})

describe('the person who is charged', () => {
  const bare = { ...base, azp: 'app', scope: 'openid' }

  it('is the subject if nothing but a scope of this service is missing: a machine by its rights', () => {
    expect(principalOf({ ...bare, sub: 'ann' }, rules)).toEqual({
      kind: 'client',
      issuer,
      id: 'app',
      subject: 'ann',
      scopes: new Set(['openid']),
    })
  })

  it('is nobody where the token is no person’s: its client is charged', () => {
    for (const claims of [{}, { sub: 'app' }, { sub: 'x@clients' }]) {
      const principal = principalOf({ ...bare, ...claims }, rules)
      expect(principal).toMatchObject({ kind: 'client', id: 'app' })
      expect(principal).not.toHaveProperty('subject')
    }
  })
})

it.each([
  [{ scope: 'a b' }, ['a', 'b']],
  [{ scope: ' a   b ' }, ['a', 'b']],
  [{ scope: ['a', 'b'] }, ['a', 'b']],
  [{ scp: 'a b' }, ['a', 'b']],
  [{ scope: 'a', scp: ['b'] }, ['a']],
  [{ scope: null, scp: ['b'] }, ['b']],
  [{ scope: 'a', scp: null, cnf: null }, ['a']],
])('the scopes of a token with the claims %j are %j', (claims, scopes) => {
  const token = { ...base, scope: undefined, sub: 'ann', ...claims }
  expect([...principalOf(token, rules).scopes]).toEqual(scopes)
})

it.each([
  ['sub', { sub: '' }],
  ['sub', { sub: null }],
  ['sub', { sub: 'a\0b' }],
  ['sub', { client_id: undefined }],
  ['client_id', { client_id: ['shop'] }],
  ['azp', { sub: 'ann', azp: '' }],
  ['scope', { sub: 'ann', scope: ['a', 1] }],
  ['scp', { sub: 'ann', scp: { 0: 'a' } }],
  ['gty', { sub: 'ann', gty: 1 }],
  ['idtyp', { sub: 'ann', idtyp: 1 }],
  ['aud', { sub: 'ann', aud: 'https://other.example' }],
  ['aud', { sub: 'ann', aud: [[goodClaims.aud]] }],
  ['exp', { sub: 'ann', exp: Number.POSITIVE_INFINITY }],
  ['cnf', { sub: 'ann', cnf: { jkt: 'x' } }],
])('claims of the wrong shape are refused with the name of the claim %s: %j', (claim, claims) => {
  expect(() => principalOf({ ...base, ...claims } as JWTPayload, rules)).toThrow(
    expect.objectContaining({ code: errors.JWTClaimValidationFailed.code, claim }),
  )
})
