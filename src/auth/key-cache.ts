import * as z from 'zod'
import type { KeyRing } from '../lib/key-ring.ts'
import { createSigner } from '../lib/signer.ts'
import { type KeySet, longestServedMs, parseKeySet } from './key-set.ts'

/** Keys, and when they were asked for at the issuer, in milliseconds since the epoch. */
export interface FetchedKeys {
  readonly keys: KeySet
  readonly at: number
}

/** The last good key set of an issuer, kept where other isolates find it (contract, section 3). */
export interface KeyCache {
  /** The keys that were written last; nothing where there are none, or none that can be trusted. Never rejects. */
  read(): Promise<FetchedKeys | undefined>
  /** Keeps keys for as long as they may serve. Never rejects. */
  write(fetched: FetchedKeys): Promise<void>
}

/** The part of the Cache API that is used. */
interface CacheStore {
  match(url: string): Promise<Response | undefined>
  put(url: string, response: Response): Promise<void>
}

/** What is kept where, and under which keys it is authenticated. */
export interface KeyCacheOptions {
  /** The data centre's cache: `caches.default`. */
  readonly store: CacheStore
  readonly ring: KeyRing
  /** Where the issuer publishes its keys: keys of another URL are not taken. */
  readonly url: string
  /** A URL whose host exists, best the service's own: the platform looks up the host of each address in its cache. */
  readonly base: string
}

/**
 * Keeps key sets in the cache of a data centre, as a code and the text that it authenticates. The address of an entry is a
 * code as well, so that environments that share a domain and have key rings of their own have separate entries.
 */
export function createKeyCache({ store, ring, url, base }: KeyCacheOptions): KeyCache {
  const signer = createSigner(ring, 'key set cache')
  const schema = z.object({ url: z.literal(url), at: z.number(), keys: z.string() })
  const address = async (): Promise<string> => new URL(await signer.sign(url), base).href

  async function read(): Promise<FetchedKeys | undefined> {
    const response = await store.match(await address())
    const [code = '', text = ''] = (await response?.text())?.split(/\.(.*)/s) ?? []
    if (!(await signer.verify(text, code))) {
      return undefined
    }
    const { at, keys } = schema.parse(JSON.parse(text))
    // The keys are checked again: another version of the service, with other checks, may have written them.
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
