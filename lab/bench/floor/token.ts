/** A person with a verified token. */
export interface Caller {
  readonly subject: string
  readonly scopes: ReadonlySet<string>
  /** Name of its bucket. */
  readonly bucket: string
  /** Milliseconds since the epoch. */
  readonly until: number
}

/** What tokens are checked against. */
export interface TokenRules {
  readonly TOKEN_ISSUER: string
  readonly TOKEN_AUDIENCE: string
  readonly JWKS_URL: string
}

const remembered = new Map<string, Caller>()
const longest = 60_000
const tolerance = 5
let keys: Promise<Map<string, CryptoKey>> | undefined

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

async function verify(token: string, rules: TokenRules): Promise<Caller | undefined> {
  const [header = '', payload = '', signature = '', ...rest] = token.split('.')
  if (rest.length > 0 || token.length > 8192) {
    return undefined
  }
  try {
    const { alg, kid, typ } = parse(header)
    if (alg !== 'ES256' || (typ !== undefined && typ !== 'at+jwt' && typ !== 'JWT')) {
      return undefined
    }
    keys ??= fetchKeys(rules.JWKS_URL)
    const key = (await keys).get(kid)
    const signed = new TextEncoder().encode(`${header}.${payload}`)
    const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
    const good = key && (await crypto.subtle.verify(algorithm, key, bytesOf(signature), signed))
    return good ? remember(token, parse(payload), rules) : undefined
  } catch {
    return undefined
  }
}

function remember(
  token: string,
  { iss, aud, exp, nbf, sub, scope, cnf }: ReturnType<typeof parse>,
  { TOKEN_ISSUER, TOKEN_AUDIENCE }: TokenRules,
): Caller | undefined {
  const now = Date.now()
  const seconds = now / 1000
  if (iss !== TOKEN_ISSUER || ![aud].flat().includes(TOKEN_AUDIENCE)) {
    return undefined
  }
  if (typeof exp !== 'number' || exp + tolerance <= seconds) {
    return undefined
  }
  if ((nbf !== undefined && nbf - tolerance > seconds) || cnf || !sub) {
    return undefined
  }
  const caller = {
    subject: sub,
    scopes: new Set<string>(scope.split(' ')),
    bucket: `user:${JSON.stringify([iss, sub])}`,
    until: Math.min(now + longest, exp * 1000),
  }
  if (remembered.size >= 1000) {
    remembered.clear()
  }
  remembered.set(token, caller)
  return caller
}

async function fetchKeys(url: string): Promise<Map<string, CryptoKey>> {
  const { keys } = await (await fetch(url)).json<{ keys: (JsonWebKey & { kid: string })[] }>()
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const imported = keys.map(
    async (key) =>
      [key.kid, await crypto.subtle.importKey('jwk', key, algorithm, false, ['verify'])] as const,
  )
  return new Map(await Promise.all(imported))
}

// biome-ignore lint/suspicious/noExplicitAny: claims are looked at one by one
function parse(segment: string): any {
  return JSON.parse(new TextDecoder().decode(bytesOf(segment)))
}

/** Bytes of base64url. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = binary.charCodeAt(index)
  }
  return bytes
}
