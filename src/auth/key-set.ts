import {
  createLocalJWKSet,
  type FlattenedJWSInput,
  importJWK,
  type JWK,
  type JWSHeaderParameters,
} from 'jose'
import * as z from 'zod/mini'

/** The signature algorithms taken: asymmetric ones only (contract, section 3; RFC 8725, section 3.1). */
export const algorithms = [
  ...['RS256', 'RS384', 'RS512'],
  ...['PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
]

/** Finds the key that a token's header asks for. */
export type FindKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>

/** Public verification keys that were found good. */
export interface KeySet {
  /** Equal for equal keys. */
  readonly fingerprint: string
  /** @throws JWKSNoMatchingKey, JWKSMultipleMatchingKeys */
  readonly find: FindKey
}

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Bytes of a key set document, keys in it, bits of an RSA modulus. */
const limits = { bytes: 64 * 1024, keys: 50, modulus: 2048 }

/** Members of private and symmetric keys (RFC 7518, section 6): a key that shows one is no secret any more. */
const secrets = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

/** An algorithm to try a key with that does not name its own. */
const algorithmOf: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
}

const keySetSchema = z.object({ keys: z.array(z.unknown()).check(z.maxLength(limits.keys)) })

/** A public signature key; members that play no part in verification are left behind. */
const keySchema = z.pipe(
  z.looseObject({}).check(z.refine((key) => !secrets.some((member) => Object.hasOwn(key, member)))),
  z.object({
    kty: z.enum(['RSA', 'EC', 'OKP']),
    kid: z.exactOptional(z.string()),
    use: z.exactOptional(z.enum(['sig'])),
    key_ops: z.exactOptional(z.array(z.string())),
    alg: z.exactOptional(z.enum(algorithms)),
    crv: z.exactOptional(z.string()),
    n: z.exactOptional(z.string()),
    e: z.exactOptional(z.string()),
    x: z.exactOptional(z.string()),
    y: z.exactOptional(z.string()),
  }),
)

/**
 * Fetches a JWK set (RFC 7517, section 5) and keeps the keys that can verify a token: private, symmetric,
 * encryption and broken ones are dropped. A redirect is not followed.
 *
 * @throws Error when the answer is not 200, not UTF-8 JSON, too large, not a key set, or holds no such key
 */
export async function fetchKeySet(url: string, get: Fetch, signal: AbortSignal): Promise<KeySet> {
  const response = await get(url, {
    redirect: 'manual',
    headers: { Accept: 'application/jwk-set+json, application/json' },
    signal,
  })
  if (response.status !== 200) {
    throw new Error(`key set endpoint answered ${response.status}`)
  }
  const document = keySetSchema.parse(JSON.parse(await readText(response)))
  const keys = (await Promise.all(document.keys.map(vet))).filter((key) => key !== undefined)
  if (keys.length === 0) {
    throw new Error('key set holds no usable key')
  }
  return { fingerprint: JSON.stringify(keys), find: createLocalJWKSet({ keys }) }
}

/** The key as it will be used, or nothing when the runtime cannot verify with it. */
async function vet(candidate: unknown): Promise<JWK | undefined> {
  try {
    const jwk = keySchema.parse(candidate)
    const key = await importJWK({ ...jwk }, jwk.alg ?? algorithmOf[jwk.crv ?? ''] ?? 'RS256')
    return key instanceof CryptoKey && strongEnough(key) ? jwk : undefined
  } catch {
    return undefined
  }
}

/** RSA keys under 2048 bits are refused when verifying (RFC 7518, section 3.3): refuse them at the door. */
function strongEnough({ algorithm }: CryptoKey): boolean {
  return !('modulusLength' in algorithm) || Number(algorithm.modulusLength) >= limits.modulus
}

/** The text of a body within the limit; leaving the loop early cancels the rest. */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  let size = 0
  let text = ''
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > limits.bytes) {
      throw new Error(`key set is larger than ${limits.bytes} bytes`)
    }
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
