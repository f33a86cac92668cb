import type { KeyRing } from '../lib/key-ring.ts'
import { lazyFor } from '../lib/lazy.ts'
import { createSigner } from '../lib/signer.ts'
import { networkOf } from './address.ts'

/** The caller with a valid token who is charged. */
export interface Caller {
  readonly kind: 'user' | 'client'
  readonly issuer: string
  /** The subject of a person, or the id of a client. */
  readonly id: string
  /** The subject of a person who has a client's rights. The person is charged, and not the client. */
  readonly subject?: string
}

/**
 * Gives the name of the bucket that pays for a request (contract, section 10): that of the caller, or of its network where the
 * token was not valid. A name has 43 characters of base64url and reveals nothing of the caller. Different callers never share
 * a name, no matter what their ids hold.
 *
 * @param address the value of `CF-Connecting-IP`; requests without a valid one share a bucket
 */
export type BucketName = (caller: Caller | undefined, address?: string) => string | Promise<string>

/**
 * Makes the function that names buckets by a keyed hash, because all IPv4 addresses could be tried against a plain hash. A new
 * current key in the ring gives every caller another bucket, which is full.
 */
export function createBucketName(ring: KeyRing): BucketName {
  const { sign } = createSigner(ring, 'limiter name')
  const nameOf = lazyFor((caller: Caller) => sign(callerText(caller)))
  return (caller, address = '') =>
    caller ? nameOf(caller) : sign(JSON.stringify(['address', networkOf(address) ?? 'local']))
}

/**
 * A caller as one text. It is JSON, so that different callers have different texts, even with separators or lone surrogates. A
 * person has the same text with and without a scope of this service.
 */
export function callerText({ kind, issuer, id, subject }: Caller): string {
  return JSON.stringify(subject === undefined ? [kind, issuer, id] : ['user', issuer, subject])
}
