import type { KeyRing } from '../lib/key-ring.ts'
import { createSigner } from '../lib/signer.ts'
import { networkOf } from './address.ts'

/** Who is charged: the bearer of a valid token. */
export interface Caller {
  readonly kind: 'user' | 'client'
  readonly issuer: string
  /** The subject of a person, or the id of a client. */
  readonly id: string
}

/**
 * The name of the bucket that pays for a request (contract, section 10): the caller's own, or its network's where no
 * token was valid. Names are 43 characters of base64url and tell nothing of whom they stand for; different callers never
 * share one, whatever their ids hold.
 *
 * @param address `CF-Connecting-IP`; requests without a readable one share a bucket
 */
export type BucketName = (caller: Caller | undefined, address?: string) => Promise<string>

/**
 * Names buckets by a keyed hash, since all IPv4 addresses can be tried against a plain one. A new current
 * key in the ring gives every caller another bucket, and a full one.
 */
export function createBucketName(ring: KeyRing): BucketName {
  const { sign } = createSigner(ring, 'limiter name')
  const names = new WeakMap<Caller, string>()
  return async (caller, address = '') => {
    if (!caller) {
      return sign(JSON.stringify(['address', networkOf(address) ?? 'local']))
    }
    const known = names.get(caller)
    if (known !== undefined) {
      return known
    }
    const name = await sign(callerText(caller))
    names.set(caller, name)
    return name
  }
}

/** A caller as one text. As JSON, a separator or a lone surrogate in an id cannot make two callers one. */
export function callerText({ kind, issuer, id }: Caller): string {
  return JSON.stringify([kind, issuer, id])
}
