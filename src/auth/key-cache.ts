import * as z from 'zod'
import type { KeyRing } from '../lib/key-ring.ts'
import { lazy } from '../lib/lazy.ts'
import { createSigner } from '../lib/signer.ts'
import { type KeySet, longestServedMs, parseKeySet } from './key-set.ts'

/** Keys, and the time at which they were fetched from the issuer, in milliseconds since the epoch. */
export interface FetchedKeys {
  readonly keys: KeySet
  readonly at: number
}

/** A cache that isolates share, with the last good key set of an issuer (contract, section 3). */
export interface KeyCache {
  /** The keys that were written last; undefined where there are none, or they cannot be trusted. Never rejects. */
  read(): Promise<FetchedKeys | undefined>
  /** Writes keys, for as long as they may serve. Never rejects. */
  write(fetched: FetchedKeys): Promise<void>
}

/** The part of the Cache API that is used. */
interface CacheStore {
  match(url: string): Promise<Response | undefined>
  put(url: string, response: Response): Promise<void>
}

/** The cache, the key set in it, and the key ring that authenticates it. */
export interface KeyCacheOptions {
  /** The data centre's cache: `caches.default`. */
  readonly store: CacheStore
  readonly ring: KeyRing
  /** The URL at which the issuer publishes its keys. Keys of another URL are ignored. */
  readonly url: string
  /** A URL whose host exists, preferably that of the service: the platform looks up the host of each address in its cache. */
  readonly base: string
}

/**
 * Makes a cache of key sets in a data centre. An entry is a text and the code that authenticates it. The address of an entry is a
 * code, too, so that environments that share a domain and have different key rings have separate entries.
 */
export function createKeyCache({ store, ring, url, base }: KeyCacheOptions): KeyCache {
  const signer = createSigner(ring, 'key set cache')
  const schema = lazy(() => z.object({ url: z.string(), at: z.number(), keys: z.string() }))
  const address = async (): Promise<string> => new URL(await signer.sign(url), base).href

  async function read(): Promise<FetchedKeys | undefined> {
    const response = await store.match(await address())
    const [code = '', text = ''] = (await response?.text())?.split(/\.(.*)/s) ?? []
    if (!(await signer.verify(text, code))) {
      return undefined
    }
    const { url: source, at, keys } = schema().parse(JSON.parse(text))
    if (source !== url) {
      return undefined
    }
    // The keys are checked again, because another version of the service with other checks may have written them.
    return { keys: await parseKeySet(keys), at }
  }

  async function write({ keys, at }: FetchedKeys): Promise<void> {
    const text = JSON.stringify({ url, at, keys: keys.text })
    const headers = { 'Cache-Control': `max-age=${longestServedMs / 1000}` }
    await store.put(
      await address(),
      new Response(`${await signer.sign(text)}.${text}`, { headers }),
    )
  }

  return {
    read: () => read().catch(() => undefined),
    write: (fetched) => write(fetched).catch(() => {}),
  }
}
