import fc from 'fast-check'
import { errors, type JWTPayload } from 'jose'
import { describe, expect, it } from 'vitest'
import { principalOf } from '../../../src/auth/claims.ts'
import { type TokenProfile, tokenProfiles } from '../../../src/auth/profiles.ts'
import type { Principal } from '../../../src/jsonapi/declare/access.ts'
import { appClient, machines, persons } from './fixtures.ts'
import { audience, rules } from './issuer.ts'

/** Machines that no claim gives away: only their issuer's profile or its settings can. */
const hidden = [
  'Keycloak, a client without the client scopes profile and service_account',
  'RFC 9068, sub is another name of the client',
  'authentik, the service account of a provider',
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

/** Each person's token with each of those lists. */
const personsAndLists = persons.flatMap((person) =>
  required[person.profile].map((list) => ({ ...person, list })),
)

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

  it.each(personsAndLists)(
    'of $name stands for no person where all of $list are absent, empty or no strings',
    ({ profile, claims, list }) => {
      for (const value of [undefined, null, '', ['ann']]) {
        const changed = Object.fromEntries(list.map((claim) => [claim, value]))
        expect(principalUnder(profile, { ...claims, ...changed })?.kind).not.toBe('user')
      }
    },
  )
})

describe('a machine’s token', () => {
  it.each(machines)('of $name stands for its client under its own profile', (machine) => {
    const { name, profile, claims } = machine
    const { client_id, azp, cid, appid } = claims
    const isHidden = profile === 'generic' && hidden.includes(name)
    expect(principalUnder(profile, claims)).toMatchObject(
      isHidden ? { kind: 'user' } : { kind: 'client', id: client_id ?? azp ?? cid ?? appid },
    )
    if (profile !== 'generic') {
      expect(principalUnder(profile, withEveryScope(claims))?.kind).not.toBe('user')
    }
  })

  it('stands for a person under the profile generic only if no claim shows that it is a machine’s', () => {
    const persons = machines.filter(
      ({ claims }) => principalUnder('generic', { ...claims, aud: audience })?.kind === 'user',
    )
    expect(persons.map(({ name }) => name)).toEqual(hidden)
  })
})

/** Whatever a claim can hold. */
const anything = fc.jsonValue().filter((value) => value !== null)

/** A change to a person's claims that makes them a machine's. */
const mark: fc.Arbitrary<(claims: JWTPayload) => JWTPayload> = fc.oneof(
  fc.array(fc.string()).map((others) => (claims: JWTPayload) => ({
    ...claims,
    gty: others.length === 0 ? 'client-credentials' : [...others, 'client-credentials'],
  })),
  fc
    .oneof(fc.constant('app'), fc.string())
    .filter((idtyp) => idtyp !== 'user')
    .map((idtyp) => (claims: JWTPayload) => ({ ...claims, idtyp })),
  fc.string({ maxLength: 200 }).map((rest) => (claims: JWTPayload) => ({
    ...claims,
    sub: `${rest}@clients`,
  })),
  fc.string({ maxLength: 200 }).map((rest) => (claims: JWTPayload) => ({
    ...claims,
    sub: `service-account-${rest}`,
  })),
  fc.string().map((rest) => (claims: JWTPayload) => ({
    ...claims,
    preferred_username: `service-account-${rest}`,
  })),
  anything.map((clientHost) => (claims: JWTPayload) => ({ ...claims, clientHost })),
  fc
    .constantFrom('client_id', 'azp', 'cid', 'appid')
    .map((claim) => (claims: JWTPayload) => ({ ...claims, [claim]: claims.sub })),
  fc.constant(({ sub: _, ...claims }: JWTPayload) => claims),
)

describe('a person’s token with any other claims', () => {
  it('stands for a machine under every profile as soon as it has a mark of one', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...persons),
        mark,
        fc.constantFrom(...tokenProfiles),
        ({ claims }, change, profile) => {
          const changed = change(withEveryScope({ ...claims, aud: audience }))
          expect(principalUnder(profile, changed)?.kind).not.toBe('user')
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('stands for a machine without a scope of this service, whatever other scopes it has', () => {
    const word = fc.stringMatching(/^[a-z.:/]{1,20}$/)
    fc.assert(
      fc.property(fc.constantFrom(...persons), fc.array(word), ({ profile, claims }, others) => {
        const scopes = others.filter((other) => !rules.scopes.has(other))
        const { scope, scp, ...rest } = claims
        for (const form of [{}, { scope: scopes.join(' ') }, { scp: scopes }]) {
          expect(principalUnder(profile, { ...rest, ...form })?.kind).toBe('client')
        }
      }),
    )
  })
})

describe('each profile of an issuer', () => {
  const cognito = persons.find(({ profile }) => profile === 'cognito')?.claims ?? {}

  it.each([
    { what: 'of another app client', claims: { client_id: 'other' } },
    {
      what: 'of another app client that names us in aud',
      claims: { client_id: 'x', aud: audience },
    },
    { what: 'that names no app client', claims: { client_id: undefined, aud: audience } },
    { what: 'that is an ID token', claims: { client_id: undefined, aud: appClient } },
  ])('refuses a token of Amazon Cognito $what', ({ claims }) => {
    expect(() =>
      principalOf(
        { ...cognito, ...claims },
        { ...rules, profile: 'cognito', audience: [appClient] },
      ),
    ).toThrow(expect.objectContaining({ claim: 'client_id' }))
  })

  it.each([
    { scope: 'users.read', scopes: [] },
    { scope: 'https://other.example/users.read', scopes: [] },
    { scope: `https://other.example/${audience}/users.read`, scopes: [] },
    { scope: `${audience}users.read`, scopes: [] },
    { scope: `${audience}/users.read`, scopes: ['users.read'] },
    { scope: `${audience}/a/users.read`, scopes: ['a/users.read'] },
  ])('reads the scope $scope of Amazon Cognito as $scopes', (row) => {
    expect([
      ...(principalUnder('cognito', { ...cognito, scope: row.scope })?.scopes ?? []),
    ]).toEqual(row.scopes)
  })

  it.each([
    { profile: 'auth0', claims: { scp: 'users.read' } },
    { profile: 'keycloak', claims: { scp: 'users.read' } },
    { profile: 'entra', claims: { scope: 'users.read' } },
    { profile: 'okta', claims: { scope: 'users.read' } },
  ] as const)(
    'has a claim of its own for scopes, so that $profile does not read $claims',
    ({ profile, claims }) => {
      const token = persons.find((person) => person.profile === profile)?.claims
      const { scope: _, scp: __, ...rest } = token ?? {}
      expect(principalUnder(profile, { ...rest, ...claims })).toMatchObject({
        kind: 'client',
        scopes: new Set(),
      })
    },
  )
})
