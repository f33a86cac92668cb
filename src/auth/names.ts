import type { Principal } from '../jsonapi/declare/resource.ts'
import { createSigner, type KeyRing } from '../lib/key-ring.ts'

/** Who a valid token stands for, and who is charged: the subject if there is one. */
export type Identity = Omit<Principal, 'scopes'>

/** Is this the form of a name in the log? */
export function isCallerName(text: string): boolean {
  return /^[\w-]{16}$/.test(text)
}

/**
 * Makes the names of callers and of buckets, under the current key of a ring. They are keyed hashes as base64url, because all IPv4
 * addresses could be tried against a plain one.
 */
export function createNames(ring: KeyRing) {
  const buckets = createSigner(ring, 'limiter name')
  const names = createSigner(ring, 'caller in the log')
  return {
    /** The bucket that pays for a caller, and the caller's name in the log (96 bits). */
    async ofCaller(caller: Identity): Promise<{ readonly bucket: string; readonly name: string }> {
      const text = callerText(caller)
      return { bucket: await buckets.sign(text), name: (await names.sign(text)).slice(0, 16) }
    },
    /** The bucket for a request without a valid token. The address is the value of `CF-Connecting-IP`. */
    ofAddress: (address = 'local') => buckets.sign(JSON.stringify(['address', networkOf(address)])),
  }
}

/** A caller as one text. It is JSON, so that different callers have different texts, whatever their ids hold. */
export function callerText({ kind, issuer, id, subject }: Identity): string {
  return JSON.stringify(subject === undefined ? [kind, issuer, id] : ['user', issuer, subject])
}

/**
 * The network that is charged for an address: the /64 of an IPv6 address, because one subscriber has at least that much. Any other
 * address, also an IPv4 address in the form of IPv6, is charged itself.
 */
export function networkOf(address: string): string {
  const url = address.includes(':') ? URL.parse(`http://[${address}]/`) : null
  if (!url) {
    return address
  }
  // A URL spells an address in one way, with `::` for the longest run of zeros.
  const host = url.hostname.slice(1, -1)
  if (host.startsWith('::ffff:')) {
    return host
  }
  const [head = [], tail = []] = host.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros: string[] = Array(8 - head.length - tail.length).fill('0')
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}
