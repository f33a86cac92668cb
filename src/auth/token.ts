import { type CryptoKey, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Principal } from '../jsonapi/declare/resource.ts'
import { putBounded } from '../lib/cache.ts'
import { noToken, rejection } from './challenge.ts'
import { type ClaimRules, principalOf } from './claims.ts'
import { algorithms, type RemoteKeys } from './remote-keys.ts'

/** What tokens are verified against. */
export interface VerifierOptions extends ClaimRules {
  readonly issuer: string
  readonly keys: Pick<RemoteKeys, 'find'>
  /** Names a caller. */
  readonly namesOf: (principal: Principal) => Promise<Omit<Caller, 'principal'>>
  /** The URL of the service's metadata, which challenges name. */
  readonly resourceMetadata?: string | undefined
}

/** The caller with a valid token, the bucket that pays, and the caller's name in the log. */
export interface Caller {
  readonly principal: Principal
  readonly bucket: string
  readonly name: string
}

/**
 * Verifies the token in the value of an `Authorization` header, and returns its caller.
 *
 * @throws ApiError 401 if the token is missing, invalid or expired, 500 if there are no keys to verify it with
 */
export type Verify = (header: string | undefined) => Promise<Caller>

/** The seconds by which clocks may differ. */
const clockTolerance = 5

/** The maximum length of the encoded header of a token. */
const maxJoseHeaderLength = 1024

/** The accepted values of `typ`, in lower case. A token without one is accepted, too. */
const types = ['at+jwt', 'application/at+jwt', 'jwt']

/** How many verified tokens an isolate remembers, and for how many milliseconds. */
const memory = { entries: 1_000, age: 60_000 }

/** Creates the verifier of access tokens. Call it once per isolate, because it remembers verified tokens. */
export function createVerifier(rules: VerifierOptions): Verify {
  const { issuer, keys, namesOf, resourceMetadata } = rules
  const verified = new Map<string, { readonly caller: Caller; readonly until: number }>()
  const options = { algorithms, issuer, clockTolerance }

  return async function verify(header) {
    const token = bearerToken(header, resourceMetadata)
    const known = verified.get(token)
    if (known && Date.now() < known.until) {
      return known.caller
    }
    if (token.indexOf('.') > maxJoseHeaderLength) {
      throw rejection(malformed, resourceMetadata)
    }
    try {
      const payload = await verifySignature(token).catch((error) => {
        // `ACCESS_TOKEN_EXPIRED` is for a token without any other fault.
        if (error instanceof errors.JWTExpired) {
          principalOf(error.payload, rules)
        }
        throw error
      })
      const principal = principalOf(payload, rules)
      const caller = { principal, ...(await namesOf(principal)) }
      // A token within the clock tolerance after its `exp` is verified each time.
      const until = Math.min(Date.now() + memory.age, Number(payload.exp) * 1000)
      putBounded(verified, token, { caller, until }, memory.entries)
      return caller
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) {
        throw error
      }
      const isExpired = error instanceof errors.JWTExpired
      const code = isExpired ? 'ACCESS_TOKEN_EXPIRED' : 'UNAUTHORIZED'
      throw rejection(reasonOf(error), resourceMetadata, code)
    }
  }

  async function verifySignature(token: string): Promise<JWTPayload> {
    const getKey: JWTVerifyGetKey = (header, jws) => {
      const { typ } = header
      const isAccepted = typeof typ === 'string' && types.includes(typ.toLowerCase())
      if (typ !== undefined && !isAccepted) {
        throw new errors.JWTClaimValidationFailed('type is not accepted', {}, 'typ')
      }
      return keys.find(header, jws)
    }
    try {
      return (await jwtVerify(token, getKey, options)).payload
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) {
        return verifyWithAny(error, token)
      }
      throw error
    }
  }

  /** Tries each key, because several have the `kid` of the token, or the token has none. */
  async function verifyWithAny(keys: AsyncIterable<CryptoKey>, token: string): Promise<JWTPayload> {
    for await (const key of keys) {
      try {
        return (await jwtVerify(token, key, options)).payload
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) {
          throw error
        }
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** The maximum length of an access token, in characters. */
const maxTokenLength = 8 * 1024

/** `Bearer` and one token (RFC 9110, section 11.2). */
const credential = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i

/** `Bearer` and anything in place of the token. */
const anyCredential = /^Bearer +[^ ]/i

/** Reads the token from the value of an `Authorization` header. @throws ApiError 401 */
function bearerToken(header: string | undefined, resourceMetadata?: string): string {
  if (!header || !anyCredential.test(header)) {
    throw noToken(resourceMetadata)
  }
  const token = credential.exec(header)?.[1] ?? ''
  if (token === '' || token.length > maxTokenLength) {
    const detail = `The Authorization header must hold exactly one Bearer token of at most ${maxTokenLength} characters.`
    throw rejection(detail, resourceMetadata)
  }
  return token
}

const malformed = 'The access token is not a signed JWT of a form that this service accepts.'

/** Why a token is refused, by the error code of jose. */
const reasons: Readonly<Record<string, string>> = {
  ERR_JOSE_ALG_NOT_ALLOWED: `The access token must be signed with one of ${algorithms.join(', ')}.`,
  ERR_JWKS_NO_MATCHING_KEY: 'The issuer does not publish the key that the access token names.',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'The signature of the access token is not valid.',
  ERR_JWT_EXPIRED: 'The access token has expired.',
}

/** Says why a token is refused. No sentence repeats any part of the token. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `The ${error.claim} of the access token is missing or not accepted.`
  }
  return reasons[error.code] ?? malformed
}
