import { errors, type JWTPayload } from 'jose'
import * as z from 'zod/mini'
import type { Principal } from '../jsonapi/declare/access.ts'
import { isStorable } from '../jsonapi/json.ts'
import { lazy } from '../lib/kept.ts'
import {
  clientClaims,
  isMarkedAsMachine,
  type ProfileRules,
  profiles,
  type TokenProfile,
} from './profiles.ts'

/** The rules by which the claims of a token are read. */
export interface ClaimRules {
  /** The profile of the issuer. */
  readonly profile: TokenProfile
  /**
   * The names of this service, one of which must be the audience of a token. Where scopes are qualified, these are also the
   * resource servers whose scopes count.
   */
  readonly audience: readonly string[]
  /** The scopes that this service defines: a person's token has at least one of them. */
  readonly scopes: ReadonlySet<string>
}

/** Can the value be the id of a person or a client? It becomes a key in storage, so that its length and characters are bounded. */
function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && [...value].length <= 255 && isStorable(value)
}

/**
 * The schema of the claims that tell who the caller is, after {@link split} has made arrays of lists of words. jose has verified `iss`
 * and `exp` before. Claims that are read but are not in it, such as `cid` and `preferred_username`, mean other things to other
 * issuers, so that a value which does not fit counts as absent.
 */
const claimsSchema = lazy(() => {
  const id = z.optional(z.string().check(z.refine(isId)))
  const text = z.optional(z.string())
  const words = z.optional(z.array(z.string()))
  return z.looseObject({
    iss: z.string(),
    exp: z.number(),
    sub: id,
    client_id: id,
    azp: id,
    scope: text,
    scp: words,
    gty: words,
    idtyp: text,
  })
})

type Claims = z.infer<ReturnType<typeof claimsSchema>>

/**
 * The principal of a verified token: the person that `sub` names where the claims show that it is a person, otherwise a machine
 * (contract, section 3). A person without a scope of this service is a machine, too, but is charged and named for itself.
 *
 * @throws JWTClaimValidationFailed with the name of the claim that is missing or not accepted
 */
export function principalOf(payload: JWTPayload, rules: ClaimRules): Principal {
  // A token with `cnf` is bound to a key, and a bearer token does not prove that its sender has the key (RFC 7800).
  if (payload.cnf !== undefined) {
    throw refused('cnf', payload)
  }
  const profile = profiles[rules.profile]
  const meantFor = [payload[profile.audience]].flat()
  if (!rules.audience.some((audience) => meantFor.includes(audience))) {
    throw refused(profile.audience, payload)
  }
  const parsed = claimsSchema().safeParse({
    ...payload,
    scp: split(payload.scp),
    gty: split(payload.gty),
  })
  if (!parsed.success) {
    throw refused(String(parsed.error.issues[0]?.path[0]), payload)
  }
  const claims = parsed.data
  const scopes = new Set(scopesOf(claims, profile, rules.audience))
  const entitled = [...scopes].some((scope) => rules.scopes.has(scope))
  const subject = isPerson(claims) && hasPersonsClaims(payload, profile) ? claims.sub : undefined
  const issuer = claims.iss
  if (subject !== undefined && entitled) {
    return { kind: 'user', issuer, id: subject, scopes }
  }
  const client = clientClaims.map((claim) => claims[claim]).find(isId)
  const id = client ?? claims.sub
  if (id === undefined) {
    throw refused('sub', payload)
  }
  return { kind: 'client', issuer, id, scopes, ...(subject !== undefined && { subject }) }
}

/** Do the claims have a subject other than the client, and no mark of a machine? */
function isPerson(claims: Claims): boolean {
  const { sub } = claims
  return (
    sub !== undefined &&
    clientClaims.every((claim) => claims[claim] !== sub) &&
    !isMarkedAsMachine(claims)
  )
}

/** Does the token have the claims that a person's token always has at this issuer? */
function hasPersonsClaims(payload: JWTPayload, { person }: ProfileRules): boolean {
  return person.every((claims) =>
    claims.some((claim) => typeof payload[claim] === 'string' && payload[claim] !== ''),
  )
}

/**
 * The scopes of the token by the names that this service uses. Where scopes are qualified, those of other resource servers are
 * left out.
 */
function scopesOf(
  claims: Claims,
  profile: ProfileRules,
  resourceServers: readonly string[],
): readonly string[] {
  const claim = profile.scopes.map((name) => claims[name]).find((value) => value !== undefined)
  const scopes = typeof claim === 'string' ? wordsOf(claim) : (claim ?? [])
  if (!profile.qualified) {
    return scopes
  }
  return resourceServers.flatMap((server) =>
    scopes
      .filter((scope) => scope.startsWith(`${server}/`))
      .map((scope) => scope.slice(server.length + 1)),
  )
}

/** Splits a list of words that is a string with spaces between them. Other issuers write an array, which is left as it is. */
function split(claim: unknown): unknown {
  return typeof claim === 'string' ? wordsOf(claim) : claim
}

function wordsOf(text: string): string[] {
  return text.split(' ').filter(Boolean)
}

function refused(claim: string, payload: JWTPayload): Error {
  return new errors.JWTClaimValidationFailed('claim is not accepted', payload, claim)
}
