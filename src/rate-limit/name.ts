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

/** Gives the name of a caller. It shows whether two callers are the same, but not who they are. */
export type CallerName = (caller: Caller) => Promise<string>

/**
 * Names the buckets that pay for requests. A name has 43 characters of base64url and reveals nothing of the caller: it is a keyed
 * hash, because all IPv4 addresses could be tried against a plain one.
 */
export function createBucketNames(ring: KeyRing) {
  const { sign } = createSigner(ring, 'limiter name')
  return {
    ofCaller: remembered(sign),
    /** The name for a request without a valid token. The address is the value of `CF-Connecting-IP`. */
    ofAddress: (address = 'local') => sign(JSON.stringify(['address', networkOf(address)])),
  }
}

/** The names of buckets. */
export type BucketNames = ReturnType<typeof createBucketNames>

/** Is this the form of a name in the log? A name is 96 bits of a keyed hash, as base64url. */
export function isCallerName(text: string): boolean {
  return /^[\w-]{16}$/.test(text)
}

/** Makes the function that names callers in the log, under the current key of a ring. */
export function createCallerName(ring: KeyRing): CallerName {
  const { sign } = createSigner(ring, 'caller in the log')
  return remembered(async (text) => (await sign(text)).slice(0, 16))
}

/** Makes the names of callers, once for each verified token. */
function remembered(sign: (text: string) => Promise<string>): CallerName {
  const names = new WeakMap<Caller, string>()
  return async (caller) => {
    const name = names.get(caller) ?? (await sign(callerText(caller)))
    names.set(caller, name)
    return name
  }
}

/** A caller as one text. It is JSON, so that different callers have different texts, whatever their ids hold. */
export function callerText({ kind, issuer, id, subject }: Caller): string {
  return JSON.stringify(subject === undefined ? [kind, issuer, id] : ['user', issuer, subject])
}

/**
 * The network that is charged for an address: the /64 of an IPv6 address, because one subscriber has at least that much. Any other
 * address, also an IPv4 address in the form of IPv6, is charged itself.
 */
export function networkOf(address: string): string {
  const url = `http://[${address}]/`
  if (!address.includes(':') || !URL.canParse(url)) {
    return address
  }
  // A URL spells an address in one way, with `::` for the longest run of zeros.
  const host = new URL(url).hostname.slice(1, -1)
  if (host.startsWith('::ffff:')) {
    return host
  }
  const [head = [], tail = []] = host.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros: string[] = Array(8 - head.length - tail.length).fill('0')
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}
