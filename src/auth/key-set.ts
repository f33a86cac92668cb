import {
  createLocalJWKSet,
  type FlattenedJWSInput,
  importJWK,
  type JWK,
  type JWSHeaderParameters,
} from 'jose'
import * as z from 'zod'
import { withDeadline } from '../lib/deadline.ts'

/** The signature algorithms that are accepted: asymmetric ones only (contract, section 3; RFC 8725, section 3.1). */
export const algorithms = [
  ...['RS256', 'RS384', 'RS512'],
  ...['PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
]

/** Finds the key that a token's header asks for. */
export type FindKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>

/** Public keys that can verify tokens. */
export interface KeySet {
  /** The keys as a document that {@link parseKeySet} takes; equal for equal keys. */
  readonly text: string
  /** @throws JWKSNoMatchingKey, JWKSMultipleMatchingKeys */
  readonly find: FindKey
}

/** Milliseconds from the fetch of keys for which they may serve where no newer ones can be had (contract, section 3). */
export const longestServedMs = 24 * 60 * 60_000

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The most bytes of a key set document, the most keys that are kept of it, the fewest bits of an RSA modulus. */
const limits = { bytes: 64 * 1024, keys: 50, modulus: 2048 }

/** Members of private and symmetric keys (RFC 7518, section 6): a key that is published with one is no secret any more. */
const secrets = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

/** The algorithm to import a key with that does not name its own, by curve. */
const algorithmOf: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
}

const keySetSchema = z.object({ keys: z.array(z.unknown()) })

/** A public signature key; members that play no part in verification are left out. */
const keySchema = z
  .looseObject({})
  .refine((key) => !secrets.some((member) => Object.hasOwn(key, member)))
  .pipe(
    z.object({
      kty: z.enum(['RSA', 'EC', 'OKP']),
      kid: z.string().exactOptional(),
      use: z.enum(['sig']).exactOptional(),
      key_ops: z.array(z.string()).exactOptional(),
      alg: z.enum(algorithms).exactOptional(),
      crv: z.string().exactOptional(),
      n: z.string().exactOptional(),
      e: z.string().exactOptional(),
      x: z.string().exactOptional(),
      y: z.string().exactOptional(),
    }),
  )

/**
 * Fetches a JWK set (RFC 7517, section 5), body included, within a time limit, after which the
 * exchange is cancelled. Redirects are not followed.
 *
 * @throws Error when the answer is late, not 200, not UTF-8, too large, or as {@link parseKeySet} does
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
  const response = await get(url, {
    redirect: 'manual',
    // A cache on the way may hold keys that the issuer has withdrawn.
    cache: 'no-store',
    headers: { Accept: 'application/jwk-set+json, application/json' },
    signal,
  })
  if (response.status !== 200) {
    throw new Error(`key set endpoint answered ${response.status}`)
  }
  return parseKeySet(await readText(response))
}

/**
 * Reads a JWK set and keeps the first 50 keys that can verify a token: private, symmetric, encryption and broken ones
 * are dropped.
 *
 * @throws Error when the text is not JSON, not a key set, or holds no such key
 */
export async function parseKeySet(text: string): Promise<KeySet> {
  const keys: JWK[] = []
  for (const candidate of keySetSchema.parse(JSON.parse(text)).keys) {
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

/** The key as it is kept, or nothing when the runtime cannot verify with it. */
async function vet(candidate: unknown): Promise<JWK | undefined> {
  try {
    const jwk = keySchema.parse(candidate)
    const key = await importJWK({ ...jwk }, jwk.alg ?? algorithmOf[jwk.crv ?? ''] ?? 'RS256')
    return key instanceof CryptoKey && strongEnough(key) ? jwk : undefined
  } catch {
    return undefined
  }
}

/** RSA keys under 2048 bits verify nothing (RFC 7518, section 3.3), so that they are not kept. */
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
