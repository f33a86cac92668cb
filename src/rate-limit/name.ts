import { lazyFor } from '../lib/kept.ts'
import { createSigner, type KeyRing } from '../lib/key-ring.ts'

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
 * The names of the buckets that pay for requests (contract, section 10). A name has 43 characters of base64url and reveals nothing of
 * the caller. Different callers never share a name, no matter what their ids hold.
 */
export interface BucketNames {
  readonly ofCaller: (caller: Caller) => string | Promise<string>
  /**
   * The name for a request whose token was not valid: that of its network.
   *
   * @param address the value of `CF-Connecting-IP`; requests without a valid one share a bucket
   */
  readonly ofAddress: (address: string | undefined) => Promise<string>
}

/**
 * Names buckets by a keyed hash, because all IPv4 addresses could be tried against a plain hash. A new
 * current key in the ring gives every caller another bucket, which is full.
 */
export function createBucketNames(ring: KeyRing): BucketNames {
  const { sign } = createSigner(ring, 'limiter name')
  return {
    ofCaller: lazyFor((caller: Caller) => sign(callerText(caller))),
    ofAddress: (address = '') => sign(JSON.stringify(['address', networkOf(address) ?? 'local'])),
  }
}

/**
 * A caller as one text. It is JSON, so that different callers have different texts, even with separators or lone surrogates. A
 * person has the same text with and without a scope of this service.
 */
export function callerText({ kind, issuer, id, subject }: Caller): string {
  return JSON.stringify(subject === undefined ? [kind, issuer, id] : ['user', issuer, subject])
}

const mappedPrefix = '0:0:0:0:0:ffff'

/**
 * The network that is charged for an address (contract, section 10): an IPv4 address itself, the IPv4 address in an IPv4-mapped
 * one, and the /64 of any other IPv6 address, because one subscriber has at least that much. A network has exactly one
 * spelling. `undefined` when the text is no IP address.
 */
export function networkOf(address: string): string | undefined {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) {
    return hostOf(address)
  }
  if (!/^[\da-f:.]+$/i.test(address)) {
    return undefined
  }

  const host = hostOf(`[${address}]`)
  if (!host) {
    return undefined
  }
  const groups = groupsOf(host.slice(1, -1))
  return groups.slice(0, 6).join(':') === mappedPrefix
    ? dotted(groups.slice(6))
    : `${groups.slice(0, 4).join(':')}::/64`
}

/** The address as a URL spells it, in lower case and without leading zeros; undefined when it is not valid. */
function hostOf(host: string): string | undefined {
  const url = `http://${host}/`
  return URL.canParse(url) ? new URL(url).hostname : undefined
}

/** The eight hexadecimal groups of an IPv6 address, `::` filled in. */
function groupsOf(address: string): readonly string[] {
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros: readonly string[] = Array(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail]
}

/** Two hexadecimal groups as an IPv4 address. */
function dotted(groups: readonly string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((bits) => [bits >> 8, bits & 255])
    .join('.')
}
