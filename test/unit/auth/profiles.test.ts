import { errors, type JWTPayload } from 'jose'
import { describe, expect, it } from 'vitest'
import { principalOf } from '../../../src/auth/claims.ts'
import { type TokenProfile, tokenProfiles } from '../../../src/auth/profiles.ts'
import type { Principal } from '../../../src/jsonapi/declare/resource.ts'
import { appClient, machines, persons } from './fixtures.ts'
import { audience, rules } from './issuer.ts'

/** Machines that no claim gives away: only their issuer's profile or its settings can. */
const hidden = [
  'Keycloak, a client without the client scopes profile and service_account',
  'RFC 9068, sub is another name of the client',
  'authentik, the service account of a provider',
  'Spring Authorization Server, which names no client',
]

/** The claims of which a person's token has at least one of each list. */
const required: Readonly<Record<TokenProfile, readonly (readonly string[])[]>> = {
  generic: [],
  auth0: [['azp', 'client_id']],
  cognito: [['client_id'], ['username']],
  entra: [
    ['azp', 'appid'],
    ['idtyp', 'preferred_username', 'upn', 'unique_name'],
  ],
  keycloak: [['azp'], ['preferred_username']],
  okta: [['cid'], ['uid']],
}

/** The principal of a token under a profile; undefined if it is refused. */
function principalUnder(profile: TokenProfile, claims: JWTPayload): Principal | undefined {
  try {
    return principalOf(claims, { ...rules, profile, audience: [audience, appClient] })
  } catch (error) {
    if (error instanceof errors.JWTClaimValidationFailed) {
      return undefined
    }
    throw error
  }
}

/** The claims with every scope of this service, in each form in which issuers write them. */
function withEveryScope(claims: object): JWTPayload {
  const scopes = [...rules.scopes]
  const all = [...scopes, ...scopes.map((scope) => `${audience}/${scope}`)]
  return { ...claims, scope: all.join(' '), scp: all }
}

describe('a person’s token', () => {
  it.each(persons)('of $name stands for a person under its own profile', ({ profile, claims }) => {
    const principal = principalUnder(profile, claims)
    expect(principal).toMatchObject({ kind: 'user', id: claims.sub })
    expect([...(principal?.scopes ?? [])]).toEqual(
      expect.arrayContaining(['users.read', 'users.write']),
    )
  })

  it.each(persons)(
    'of $name stands for no person where a claim is absent, empty or no string that persons have',
    ({ profile, claims }) => {
      for (const list of required[profile]) {
        for (const value of [undefined, null, '', ['ann']]) {
          const changed = Object.fromEntries(list.map((claim) => [claim, value]))
          expect(principalUnder(profile, { ...claims, ...changed })?.kind).not.toBe('user')
        }
      }
    },
  )
})

it.each(machines)(
  'a machine’s token of $name stands for its client under its own profile',
  (machine) => {
    const { name, profile, claims } = machine
    const { client_id, azp, cid, appid } = claims
    const isHidden = profile === 'generic' && hidden.includes(name)
    expect(principalUnder(profile, claims)).toMatchObject(
      isHidden ? { kind: 'user' } : { kind: 'client', id: client_id ?? azp ?? cid ?? appid },
    )
    if (profile !== 'generic') {
      expect(principalUnder(profile, withEveryScope(claims))?.kind).not.toBe('user')
    }
  },
)

/** Claims that make a person's token a machine's. */
const marks: readonly ((claims: JWTPayload) => object)[] = [
  () => ({ gty: 'client-credentials' }),
  () => ({ gty: ['password', 'client-credentials'] }),
  () => ({ idtyp: 'app' }),
  () => ({ idtyp: 'User' }),
  () => ({ sub: 'ann@clients' }),
  () => ({ sub: 'service-account-ann' }),
  () => ({ preferred_username: 'service-account-ann' }),
  () => ({ clientHost: '192.0.2.1' }),
  () => ({ clientHost: false }),
  () => ({ sub: undefined }),
  ...['client_id', 'azp', 'cid', 'appid'].map((claim) => ({ sub }: JWTPayload) => ({
    [claim]: sub,
  })),
]

describe('a person’s token with other claims', () => {
  it.each(marks)('stands for a machine under every profile with a mark of one (%#)', (mark) => {
    for (const { claims } of persons) {
      const person = withEveryScope({ ...claims, aud: audience })
      for (const profile of tokenProfiles) {
        expect(principalUnder(profile, { ...person, ...mark(person) })?.kind).not.toBe('user')
      }
    }
  })

  it.each([{}, { scope: '' }, { scope: 'openid users.read2' }, { scp: [] }, { scp: ['read'] }])(
    'stands for a machine with no scope of this service: %j',
    (scopes) => {
      for (const { profile, claims } of persons) {
        const own = { ...claims, scope: undefined, scp: undefined, ...scopes }
        expect(principalUnder(profile, own)?.kind).toBe('client')
      }
    },
  )
})

describe('each profile of an issuer', () => {
  const cognito = persons.find(({ profile }) => profile === 'cognito')?.claims ?? {}

  it.each([
    ['of another app client', { client_id: 'other', aud: audience }],
    ['that names no app client', { client_id: undefined, aud: audience }],
    ['that is an ID token', { client_id: undefined, aud: appClient }],
  ])('refuses a token of Amazon Cognito %s', (_what, claims) => {
    const pool = { ...rules, profile: 'cognito', audience: [appClient] } as const
    expect(() => principalOf({ ...cognito, ...claims }, pool)).toThrow(
      expect.objectContaining({ claim: 'client_id' }),
    )
  })

  it.each([
    ['users.read', []],
    ['https://other.example/users.read', []],
    [`https://other.example/${audience}/users.read`, []],
    [`${audience}users.read`, []],
    [`${audience}/users.read`, ['users.read']],
    [`${audience}/a/users.read`, ['a/users.read']],
  ])('reads the scope %s of Amazon Cognito as %j', (scope, scopes) => {
    const principal = principalUnder('cognito', { ...cognito, scope })
    expect([...(principal?.scopes ?? [])]).toEqual(scopes)
  })

  it.each([
    ['auth0', { scp: 'users.read' }],
    ['keycloak', { scp: 'users.read' }],
    ['entra', { scope: 'users.read' }],
    ['okta', { scope: 'users.read' }],
  ] as const)('has a claim of its own for scopes: %s does not read %j', (profile, claims) => {
    const person = persons.find((one) => one.profile === profile)
    const own = { ...person?.claims, scope: undefined, scp: undefined, ...claims }
    const principal = principalUnder(profile, own)
    expect(principal).toMatchObject({ kind: 'client', scopes: new Set() })
  })
})
