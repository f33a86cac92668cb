import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose'
import type { ClaimRules } from '../../../src/auth/claims.ts'
import { ApiError } from '../../../src/jsonapi/errors.ts'
import { about } from '../../../src/resources/index.ts'

/** A key the issuer signs with, and its public half as it is published. */
export interface SigningKey {
  readonly alg: string
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

/** The instant at which tests begin, in milliseconds since the epoch. */
export const start = Date.UTC(2026, 10, 20, 12)

/** The same in seconds, as claims have it. */
export const startSeconds = start / 1000

export const issuer = 'https://issuer.example'
export const audience = 'https://api.example/jsonapi'

/** By which rules the service reads claims, unless a test says otherwise. */
export const rules: ClaimRules = {
  profile: 'generic',
  audience: [audience],
  scopes: new Set(Object.keys(about.scopes)),
}

/** A fresh key pair for an algorithm. */
export async function signingKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** The claims of a person's token that is good for five minutes. */
export const goodClaims = {
  iss: issuer,
  aud: audience,
  sub: 'ann',
  client_id: 'shop',
  scope: 'users.read users.write',
  exp: startSeconds + 300,
}

/** Signs claims as they are; an undefined claim or header member is left out. */
export function sign(
  key: SigningKey,
  claims: object = goodClaims,
  header: object = {},
): Promise<string> {
  const protectedHeader: JWTHeaderParameters = { alg: key.alg, kid: key.kid, ...header }
  return new SignJWT({ ...claims }).setProtectedHeader(protectedHeader).sign(key.privateKey)
}

/** A compact token of parts that need not fit together. */
export function compact(header: object, claims: unknown, signature = 'AAAA'): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
  return `${encode(header)}.${encode(claims)}.${signature}`
}

/** The answer of a healthy endpoint that publishes these keys. */
export function published(...keys: readonly (SigningKey | JWK)[]): Response {
  return Response.json({ keys: keys.map((key) => ('jwk' in key ? key.jwk : key)) })
}

/** A key set endpoint whose answer can be exchanged, and which counts how often it is asked. */
export function endpoint(answer: () => Response | Promise<Response>) {
  const state = {
    answer,
    calls: 0,
    inits: [] as RequestInit[],
    fetch: async (_url: string, init: RequestInit): Promise<Response> => {
      state.calls += 1
      state.inits.push(init)
      return state.answer()
    },
  }
  return state
}

/** A promise that never settles: what is left of a fetch whose request was cancelled. */
export function never(): Promise<never> {
  return new Promise(() => {})
}

/** What an attempt ended with: its value, or what it threw. */
export async function outcome(attempt: () => unknown): Promise<unknown> {
  try {
    return await attempt()
  } catch (error) {
    return error
  }
}

/** The ApiError an attempt ends with, as the caller sees it. */
export async function refusalOf(attempt: () => unknown) {
  const error = await outcome(attempt)
  if (!(error instanceof ApiError)) {
    throw new Error(`not refused: ${String(error)}`)
  }
  const [{ code, detail, source }] = error.problems
  return {
    status: error.status,
    code,
    detail,
    source,
    challenge: error.headers['WWW-Authenticate'] ?? '',
    retryAfter: Number(error.headers['Retry-After']),
  }
}
