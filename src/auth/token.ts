import { errors, type JWTHeaderParameters, jwtVerify } from 'jose'
import type { Principal } from '../jsonapi/declare/access.ts'
import type { ApiError } from '../jsonapi/errors.ts'
import { putBounded } from '../lib/kept.ts'
import { bearerToken, maxTokenLength, type ProtectedResource, rejection } from './bearer.ts'
import { type ClaimRules, principalOf } from './claims.ts'
import { algorithms, type RemoteKeys } from './keys.ts'

/** Who must have issued a token, how its claims are read, and what challenges tell about the service. */
export interface VerifierOptions extends ClaimRules {
  readonly issuer: string
  readonly keys: RemoteKeys
  readonly resource?: ProtectedResource
}

/**
 * Tells who sends the value of an `Authorization` header. It gives no promise where the token in it was verified within the last
 * minute.
 *
 * @throws ApiError 401 `UNAUTHORIZED`, 401 `ACCESS_TOKEN_EXPIRED` for a token that was good until its `exp`,
 * 500 `INTERNAL_SERVER_ERROR` when there are no keys to verify with
 */
export type Verify = (header: string | undefined) => Principal | Promise<Principal>

/** The seconds by which clocks may differ. */
const clockTolerance = 5

/** The longest protected header, in encoded characters. It is compared before anything is decoded. */
const maxHeaderLength = 1024

/** The types of JWT that are accepted, in lower case; a token without a type is accepted, too (RFC 9068, section 2.1). */
const types: readonly string[] = ['at+jwt', 'application/at+jwt', 'jwt']

const malformed = 'The access token is not a signed JWT of a form that this service takes.'

/** Why a token is refused, by the error code of jose. No sentence repeats anything of the token. */
const reasons: Readonly<Record<string, string>> = {
  ERR_JOSE_ALG_NOT_ALLOWED: `The access token must be signed with one of ${algorithms.join(', ')}.`,
  ERR_JWKS_NO_MATCHING_KEY: 'The issuer does not publish the key that the access token names.',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS:
    'The access token does not tell which of the keys of its issuer has signed it.',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'The signature of the access token is not valid.',
}

/** Makes the verifier of access tokens. Build it once per isolate (contract, section 3; RFC 9068, section 4). */
export function createVerifier(options: VerifierOptions): Verify {
  const { issuer, keys, resource = {} } = options
  const memory = tokenMemory()

  return (header = '') => memory.recall(header, keys.version()) ?? verify(header)

  async function verify(header: string): Promise<Principal> {
    const token = bearerToken(header, resource)
    if (!isPlausible(token)) {
      throw rejection(malformed, resource)
    }
    // Another spelling of the scheme is no other token: it finds the same entry, and never takes one of its own.
    const known = memory.recall(usualHeader(token), keys.version())
    if (known) {
      return known
    }
    try {
      return await judge(token)
    } catch (error) {
      throw error instanceof errors.JOSEError ? refusal(error, resource) : error
    }
  }

  async function judge(token: string): Promise<Principal> {
    let version = 0
    const { payload } = await jwtVerify(
      token,
      async (header, jws) => {
        requireType(header)
        const found = await keys.find(header, jws)
        version = found.version
        return found.key
      },
      { algorithms, issuer, requiredClaims: ['exp'], clockTolerance },
    ).catch(preferOtherFaults)
    const principal = principalOf(payload, options)
    memory.remember(usualHeader(token), principal, payload.exp ?? 0, version)
    return principal
  }

  /** Throws the other fault of an expired token, if it has one: only a token that is good in every other way has expired. */
  function preferOtherFaults(error: unknown): never {
    if (error instanceof errors.JWTExpired) {
      principalOf(error.payload, options)
    }
    throw error
  }
}

/** The header as nearly all callers spell it, by which a token is remembered. */
function usualHeader(token: string): string {
  return `Bearer ${token}`
}

/** Does the token have three segments and no excessive length? This costs less than decoding it. */
function isPlausible(token: string): boolean {
  if (token.length > maxTokenLength) {
    return false
  }
  const [header = '', ...others] = token.split('.', 4)
  return others.length === 2 && header.length <= maxHeaderLength
}

function requireType({ typ }: JWTHeaderParameters): void {
  const isTaken = typeof typ === 'string' && types.includes(typ.toLowerCase())
  if (typ !== undefined && !isTaken) {
    throw new errors.JWTClaimValidationFailed('type is not accepted', {}, 'typ')
  }
}

/** The error for a fault that jose has found (contract, section 3). */
function refusal(error: errors.JOSEError, resource: ProtectedResource): ApiError {
  if (error instanceof errors.JWTExpired) {
    return rejection('The access token has expired.', resource, 'ACCESS_TOKEN_EXPIRED')
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const detail = `The ${error.claim} of the access token is missing or not accepted.`
    return rejection(detail, resource)
  }
  return rejection(reasons[error.code] ?? malformed, resource)
}

/** The milliseconds for which a token is remembered, and the most tokens that are remembered. */
const remembered = { age: 60_000, entries: 1_000 }

/**
 * Makes a memory of verified tokens by the usual value of their `Authorization` header, token included, so that most requests
 * need no cryptography. An entry lives for 60 seconds, and never past `exp`: a token that is valid only because of the clock
 * tolerance is verified at each use. The oldest entry makes room for a new one.
 */
export function tokenMemory() {
  const entries = new Map<
    string,
    { readonly principal: Principal; readonly until: number; readonly version: number }
  >()

  return {
    /** The principal of a header; undefined unless its token was verified by this version of the keys. */
    recall(header: string, version: number): Principal | undefined {
      const entry = entries.get(header)
      if (entry && (version !== entry.version || Date.now() >= entry.until)) {
        entries.delete(header)
        return undefined
      }
      return entry?.principal
    },
    /** @param expires the token's own `exp`, in seconds since the epoch */
    remember(header: string, principal: Principal, expires: number, version: number): void {
      const until = Math.min(Date.now() + remembered.age, expires * 1000)
      if (until > Date.now()) {
        putBounded(entries, header, { principal, until, version }, remembered.entries)
      }
    },
  }
}
