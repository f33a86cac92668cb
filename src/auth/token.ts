import { errors, type JWTHeaderParameters, jwtVerify } from 'jose'
import type { Principal } from '../jsonapi/declare/access.ts'
import type { ApiError } from '../jsonapi/errors.ts'
import { maxTokenLength, type ProtectedResource, rejection } from './bearer.ts'
import { type ClaimRules, principalOf } from './claims.ts'
import type { RemoteKeys } from './jwks.ts'
import { algorithms } from './key-set.ts'
import { tokenMemory } from './token-memory.ts'

/** Whom a token must come from, how its claims are read, and what refusals say of the service. */
export interface VerifierOptions extends ClaimRules {
  readonly issuer: string
  readonly keys: RemoteKeys
  readonly resource?: ProtectedResource
  /** Milliseconds since the epoch. */
  readonly clock?: () => number
}

/**
 * Tells who a token stands for: without a promise where the token was verified within the last minute.
 *
 * @throws ApiError 401 `UNAUTHORIZED`, 401 `ACCESS_TOKEN_EXPIRED` for a token that was good until its `exp`,
 * 500 `INTERNAL_SERVER_ERROR` when no keys can be had
 */
export type Verify = (token: string) => Principal | Promise<Principal>

/** Seconds that clocks may differ by. */
const clockTolerance = 5

/** The most characters of a protected header as it is sent, which are counted before anything is decoded. */
const maxHeaderLength = 1024

/** The types of JWT that are accepted, in lower case; a token without a type is accepted, too (RFC 9068, section 2.1). */
const types: readonly string[] = ['at+jwt', 'application/at+jwt', 'jwt']

const malformed = 'The access token is not a signed JWT that is taken here'

/** Why a token is refused, by jose's code. Nothing of the token is repeated. */
const reasons: Readonly<Record<string, string>> = {
  ERR_JOSE_ALG_NOT_ALLOWED: `The access token must be signed with one of ${algorithms.join(', ')}`,
  ERR_JWKS_NO_MATCHING_KEY: 'The key of the access token is not published by its issuer',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'The access token does not tell which key it is signed with',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'The signature of the access token does not verify',
}

/** The verifier of one service, per isolate (contract, section 3; RFC 9068, section 4). */
export function createVerifier(options: VerifierOptions): Verify {
  const { issuer, keys, resource = {}, clock = Date.now } = options
  const memory = tokenMemory(clock)

  return (token) => memory.recall(token, keys.version()) ?? verify(token)

  async function verify(token: string): Promise<Principal> {
    if (!isPlausible(token)) {
      throw rejection(malformed, resource)
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
        const key = await keys.find(header, jws)
        version = keys.version()
        return key
      },
      {
        algorithms,
        issuer,
        requiredClaims: ['exp'],
        clockTolerance,
        currentDate: new Date(clock()),
      },
    ).catch(preferOtherFaults)
    const principal = principalOf(payload, options)
    memory.remember(token, principal, payload.exp ?? 0, version)
    return principal
  }

  /** Only a token that is good in every other way is told that it has expired: another fault is told instead. */
  function preferOtherFaults(error: unknown): never {
    if (error instanceof errors.JWTExpired) {
      principalOf(error.payload, options)
    }
    throw error
  }
}

/** Has the token three segments, none of them too long? This costs less than decoding them. */
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

/** The answer to what jose has found wrong (contract, section 3). */
function refusal(error: errors.JOSEError, resource: ProtectedResource): ApiError {
  if (error instanceof errors.JWTExpired) {
    return rejection('The access token has expired', resource, 'ACCESS_TOKEN_EXPIRED')
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const detail = `The ${error.claim} of the access token is missing or not accepted`
    return rejection(detail, resource)
  }
  return rejection(reasons[error.code] ?? malformed, resource)
}
