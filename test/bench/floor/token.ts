import { createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from 'jose'

/** A person with a verified token. */
export type Caller = NonNullable<Awaited<ReturnType<typeof verify>>>

/** What tokens are checked against. */
export interface TokenRules {
  readonly TOKEN_ISSUER: string
  readonly TOKEN_AUDIENCE: string
  readonly JWKS_URL: string
}

const remembered = new Map<string, Caller>()
const longest = 60_000
let keys: JWTVerifyGetKey | undefined

/** Who calls; undefined when the token is missing or not good. Remembered for a minute, whole. */
export function callerOf(
  header: string | null,
  rules: TokenRules,
): Caller | undefined | Promise<Caller | undefined> {
  if (!header?.startsWith('Bearer ')) {
    return undefined
  }
  const token = header.slice(7)
  const known = remembered.get(token)
  return known && Date.now() < known.until ? known : verify(token, rules)
}

async function verify(
  token: string,
  { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience, JWKS_URL }: TokenRules,
) {
  keys ??= createRemoteJWKSet(new URL(JWKS_URL))
  const options = { issuer, audience, algorithms: ['ES256'], requiredClaims: ['exp', 'sub'] }
  const verified = await jwtVerify(token, keys, options).catch(() => undefined)
  if (!verified) {
    return undefined
  }
  const { sub = '', exp = 0, scope } = verified.payload
  const caller = {
    subject: sub,
    scopes: new Set(String(scope).split(' ')),
    /** The name of its bucket. */
    bucket: `user:${JSON.stringify([issuer, sub])}`,
    /** Milliseconds since the epoch. */
    until: Math.min(Date.now() + longest, exp * 1000),
  }
  if (remembered.size >= 1000) {
    remembered.clear()
  }
  remembered.set(token, caller)
  return caller
}
