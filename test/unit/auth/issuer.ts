import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose'
import { afterEach, beforeAll, beforeEach, vi } from 'vitest'
import type { ClaimRules } from '../../../src/auth/claims.ts'
import { createRemoteKeys, type KeyFaults } from '../../../src/auth/remote-keys.ts'
import { createVerifier, type Verify } from '../../../src/auth/token.ts'
import { ApiError } from '../../../src/jsonapi/problems.ts'
import { about } from '../../../src/resources/index.ts'

/** A key that the issuer signs with, and its public half as it is published. */
export type SigningKey = Awaited<ReturnType<typeof signingKey>>

/** The time at which each test begins, in milliseconds and in seconds since the epoch. */
const start = Date.UTC(2026, 10, 20, 12)
export const startSeconds = start / 1000

export const issuer = 'https://issuer.example'
export const audience = 'https://api.example/jsonapi'

/** How the service reads claims, unless a test needs other rules. */
export const rules: ClaimRules = {
  profile: 'generic',
  audience: [audience],
  scopes: new Set(Object.keys(about.scopes)),
}

/** The claims of a person's token that is valid for five minutes. */
export const goodClaims = {
  iss: issuer,
  aud: audience,
  sub: 'ann',
  client_id: 'shop',
  scope: 'users.read users.write',
  exp: startSeconds + 300,
}

/** The issuer's key set: how it answers, and how often it was fetched. */
export const jwks = {
  answer: (_signal?: AbortSignal | null): Response | Promise<Response> => published(key),
  fetches: 0,
}

/** Hears of each fetch that failed while old keys were in use, and of keys that cannot be imported. */
export const onStale = vi.fn<KeyFaults['onStale']>()
export const onUnusable = vi.fn<KeyFaults['onUnusable']>()

/** The key that the issuer publishes, unless a test replaces the answer. */
export let key: SigningKey
/** A verifier that has fetched and remembered nothing when a test begins. */
export let verifyHeader: Verify
export const verify = async (token: string) => (await verifyHeader(`Bearer ${token}`)).principal

/** Starts the issuer for the tests of a file. The clock stands still until a test moves it. */
export function useIssuer(): void {
  beforeAll(async () => {
    key = await signingKey('a')
  })

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: start })
    jwks.answer = () => published(key)
    jwks.fetches = 0
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
      jwks.fetches += 1
      return jwks.answer(init?.signal)
    })
    onStale.mockReset()
    onUnusable.mockReset()
    verifyHeader = createVerifier({
      ...rules,
      issuer,
      keys: createRemoteKeys(`${issuer}/jwks`, { onStale, onUnusable }),
      namesOf: async () => ({ bucket: 'bucket', name: 'name' }),
      resourceMetadata: 'https://api.example/meta',
    })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })
}

/** Moves the clock. */
export function pass(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds)
}

/** Creates a key pair for an algorithm. */
export async function signingKey(kid: string, alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** Signs claims as they are. A claim or a header member that is undefined is left out. */
export function sign(
  { alg, kid, privateKey }: SigningKey,
  claims: object = goodClaims,
  header: object = {},
): Promise<string> {
  const protectedHeader: JWTHeaderParameters = { alg, kid, ...header }
  return new SignJWT({ ...claims }).setProtectedHeader(protectedHeader).sign(privateKey)
}

/** A compact token of parts that need not fit together. */
export function compact(header: object, claims: unknown, signature = 'AAAA'): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
  return `${encode(header)}.${encode(claims)}.${signature}`
}

/** The answer of an endpoint that publishes these keys. */
export function published(...keys: readonly (SigningKey | JWK)[]): Response {
  return Response.json({ keys: keys.map((key) => ('jwk' in key ? key.jwk : key)) })
}

/** The ApiError that an attempt ends with, as the caller sees it. */
export async function refusalOf(attempt: () => unknown) {
  const error = await Promise.try(attempt).catch((error: unknown) => error)
  if (!(error instanceof ApiError)) {
    throw new Error(`not refused: ${String(error)}`)
  }
  return {
    status: error.status,
    ...error.problems[0],
    challenge: error.headers['WWW-Authenticate'] ?? '',
    retryAfter: error.headers['Retry-After'],
    cause: error.cause,
  }
}
