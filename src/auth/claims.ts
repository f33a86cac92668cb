import { errors, type JWTPayload } from 'jose'
import * as z from 'zod/mini'
import type { Principal } from '../jsonapi/declare/resource.ts'
import { isStorable } from '../jsonapi/json.ts'
import { clientClaims, type ProfileRules, profiles, type TokenProfile } from './profiles.ts'

/** How the claims of a token are read. */
export interface ClaimRules {
  readonly profile: TokenProfile
  /** The names of this service, one of which must be the audience. They are also the resource servers of qualified scopes. */
  readonly audience: readonly string[]
  /** The scopes that this service defines. */
  readonly scopes: ReadonlySet<string>
}

/** Can the value be the id of a person or a client? Ids are stored, so their length and characters are limited. */
function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && [...value].length <= 255 && isStorable(value)
}

const id = z.optional(z.string().check(z.refine(isId)))
const words = z.pipe(
  z.string(),
  z.transform((text) => text.split(' ').filter(Boolean)),
)
const wordList = z.optional(z.union([words, z.array(z.string())]))

/** The claims with one meaning at every issuer. Others, such as `cid`, are ignored if their value does not fit. */
const claimsSchema = z.looseObject({
  // A token that is bound to a key is no bearer token: its sender would have to prove that it has the key.
  cnf: z.optional(z.never()),
  iss: z.string(),
  exp: z.number(),
  sub: id,
  client_id: id,
  azp: id,
  scope: wordList,
  scp: wordList,
  gty: wordList,
  idtyp: z.optional(z.string()),
})

type Claims = z.infer<typeof claimsSchema>

/**
 * Returns the caller that a verified token stands for: the person in `sub` if the claims show that it is a person with a scope of
 * this service, otherwise the client.
 *
 * @throws JWTClaimValidationFailed with the name of a claim that is missing or not accepted
 */
export function principalOf(payload: JWTPayload, rules: ClaimRules): Principal {
  const profile = profiles[rules.profile]
  const claims = parseClaims(payload, rules)
  const scopes = new Set(scopesOf(claims, profile, rules.audience))
  const issuer = claims.iss
  const person = isPerson(claims, profile) ? claims.sub : undefined
  if (person !== undefined && !scopes.isDisjointFrom(rules.scopes)) {
    return { kind: 'user', issuer, id: person, scopes }
  }
  const client = clientClaims.map((claim) => claims[claim]).find(isId) ?? claims.sub
  if (client === undefined) {
    throw notAccepted('sub', payload)
  }
  return {
    kind: 'client',
    issuer,
    id: client,
    scopes,
    // A person without a scope of this service has the rights of the client, but only the person is charged.
    ...(person !== undefined && { subject: person }),
  }
}

/** Validates claims. A claim that is null counts as absent. */
function parseClaims(payload: JWTPayload, { profile, audience }: ClaimRules): Claims {
  const claims = Object.fromEntries(
    Object.entries(payload).filter(([, value]) => value !== null),
  ) as JWTPayload
  const audienceClaim = profiles[profile].audience
  const audiences = [claims[audienceClaim]].flat()
  if (!audience.some((name) => audiences.includes(name))) {
    throw notAccepted(audienceClaim, payload)
  }
  const parsed = claimsSchema.safeParse(claims)
  if (!parsed.success) {
    throw notAccepted(String(parsed.error.issues[0]?.path[0]), payload)
  }
  return parsed.data
}

/** Do the claims show that the subject is a person, and neither the client nor a machine? */
function isPerson(claims: Claims, { person }: ProfileRules): boolean {
  return (
    clientClaims.every((claim) => claims[claim] !== claims.sub) &&
    !isMarkedAsMachine(claims) &&
    person.every((names) =>
      names.some((name) => typeof claims[name] === 'string' && claims[name] !== ''),
    )
  )
}

/** How Keycloak begins the user names of its service accounts. */
const serviceAccount = 'service-account-'

/** Does a claim show that the token is a machine's? The marks of all issuers count under every profile. */
function isMarkedAsMachine({ sub, gty, idtyp, preferred_username, clientHost }: Claims): boolean {
  return (
    // Auth0
    gty?.includes('client-credentials') === true ||
    sub?.endsWith('@clients') === true ||
    // Entra ID: app or device, otherwise user
    (idtyp !== undefined && idtyp !== 'user') ||
    // Keycloak
    sub?.startsWith(serviceAccount) === true ||
    (typeof preferred_username === 'string' && preferred_username.startsWith(serviceAccount)) ||
    clientHost !== undefined
  )
}

/** The scopes by the names that this service uses. Qualified scopes of other resource servers are left out. */
function scopesOf(
  claims: Claims,
  { scopes: names, qualified }: ProfileRules,
  resourceServers: readonly string[],
): readonly string[] {
  const scopes = names.map((name) => claims[name]).find((value) => value !== undefined) ?? []
  const prefixes = qualified ? resourceServers.map((server) => `${server}/`) : ['']
  return prefixes.flatMap((prefix) =>
    scopes.filter((scope) => scope.startsWith(prefix)).map((scope) => scope.slice(prefix.length)),
  )
}

function notAccepted(claim: string, payload: JWTPayload): Error {
  return new errors.JWTClaimValidationFailed('claim is not accepted', payload, claim)
}
