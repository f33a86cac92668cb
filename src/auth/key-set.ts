import {
  createLocalJWKSet,
  type FlattenedJWSInput,
  importJWK,
  type JWK,
  type JWSHeaderParameters,
} from 'jose'
import * as z from 'zod'
import { withDeadline } from '../lib/deadline.ts'
import { lazy } from '../lib/lazy.ts'

/** The signature algorithms that are accepted, all of them asymmetric (contract, section 3; RFC 8725, section 3.1). */
export const algorithms = [
  ...['RS256', 'RS384', 'RS512'],
  ...['PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
]

/** Finds the key that the header of a token names. */
export type FindKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>

/** Public keys that can verify tokens. */
export interface KeySet {
  /** The keys as a text that {@link parseKeySet} takes. Equal keys have equal texts. */
  readonly text: string
  /** @throws JWKSNoMatchingKey, JWKSMultipleMatchingKeys */
  readonly find: FindKey
}

/** The milliseconds after their fetch for which keys may serve when newer ones cannot be fetched (contract, section 3). */
export const longestServedMs = 24 * 60 * 60_000

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The most bytes of a key set, the most keys that are taken from it, and the fewest bits of an RSA modulus. */
const limits = { bytes: 64 * 1024, keys: 50, modulus: 2048 }

/** Members of private and symmetric keys (RFC 7518, section 6). A key that was published with one of them is not secret. */
const secrets = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

/** The algorithm for importing a key that names none, by its curve. */
const algorithmOf: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
}

const keySetSchema = lazy(() => z.object({ keys: z.array(z.unknown()) }))

/**
 * The schema of a signature key. Members that verification does not use are left out, {@link secrets} among them, so that only the
 * candidate shows whether the key is public.
 */
const keySchema = lazy(() =>
  z.object({
    kty: z.enum(['RSA', 'EC', 'OKP']),
    kid: z.string().optional(),
    use: z.enum(['sig']).optional(),
    key_ops: z.array(z.string()).optional(),
    alg: z.enum(algorithms).optional(),
    crv: z.string().optional(),
    n: z.string().optional(),
    e: z.string().optional(),
    x: z.string().optional(),
    y: z.string().optional(),
  }),
)

/**
 * Fetches a JWK set (RFC 7517, section 5) within a time limit, body included. After that the exchange is cancelled. Redirects are
 * not followed.
 *
 * @throws Error when the endpoint cannot be reached, when the answer is late, not 200, not UTF-8 or too large, and where {@link parseKeySet} throws
 */
export async function fetchKeySet(url: string, get: Fetch, milliseconds: number): Promise<KeySet> {
  const controller = new AbortController()
  try {
    return await withDeadline(exchange(url, get, controller.signal), milliseconds, () => {
      throw new Error(`key set endpoint gave no answer in ${milliseconds} ms`)
    })
  } finally {
    controller.abort()
  }
}

async function exchange(url: string, get: Fetch, signal: AbortSignal): Promise<KeySet> {
  const request = get(url, {
    redirect: 'manual',
    // A cache on the way may have keys that the issuer has withdrawn.
    cache: 'no-store',
    headers: { Accept: 'application/jwk-set+json, application/json' },
    signal,
  })
  const response = await request.catch((cause) => {
    throw new Error(`key set endpoint ${url} cannot be reached`, { cause })
  })
  if (response.status !== 200) {
    throw new Error(`key set endpoint answered ${response.status}`)
  }
  return parseKeySet(await readText(response))
}

/**
 * Reads a JWK set, and takes the first 50 keys that can verify a token. Private, symmetric, encryption and broken keys are
 * dropped.
 *
 * @throws Error when the text is not JSON or not a key set, or no key of it can be used
 */
export async function parseKeySet(text: string): Promise<KeySet> {
  const keys: JWK[] = []
  for (const candidate of keySetSchema().parse(JSON.parse(text)).keys) {
    const key = await vet(candidate)
    if (key && keys.push(key) === limits.keys) {
      break
    }
  }
  if (keys.length === 0) {
    throw new Error('key set holds no usable key')
  }
  return { text: JSON.stringify({ keys }), find: createLocalJWKSet({ keys }) }
}

/** The key without other members; undefined when the runtime cannot verify with it. */
async function vet(candidate: unknown): Promise<JWK | undefined> {
  try {
    // The parsed key lacks the members that the candidate lacks, though the type allows them to be undefined.
    const jwk = keySchema().parse(candidate) as JWK
    if (secrets.some((member) => Object.hasOwn(Object(candidate), member))) {
      return undefined
    }
    const key = await importJWK({ ...jwk }, jwk.alg ?? algorithmOf[jwk.crv ?? ''] ?? 'RS256')
    return key instanceof CryptoKey && strongEnough(key) ? jwk : undefined
  } catch {
    return undefined
  }
}

/** Is the key strong enough? RSA keys need 2048 bits at least (RFC 7518, section 3.3). */
function strongEnough({ algorithm }: CryptoKey): boolean {
  return !('modulusLength' in algorithm) || Number(algorithm.modulusLength) >= limits.modulus
}

/** Reads the text of a body within the limit. An error in the loop cancels the rest of the body. */
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
