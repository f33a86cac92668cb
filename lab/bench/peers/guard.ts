import { createRemoteJWKSet, jwtVerify } from 'jose'
import { optionsOf, serves } from '../server/process.ts'

/** What a peer's process is told. */
export interface PeerOptions {
  readonly people: number
  readonly issuer: string
  readonly audience: string
  readonly jwksUrl: string
  /** An empty folder of its own. */
  readonly folder: string
  /** Milliseconds of the way to the database and back; it is in the process if absent. Only ts-japi knows it. */
  readonly way?: number
}

/** May the request pass? With the headers of the limit for its answer. */
export interface Pass {
  readonly status: 200 | 401 | 429
  readonly headers: Readonly<Record<string, string>>
}

/** A check that comes before a peer's own work. */
export type Guard = (authorization: string | undefined, query: string) => Promise<Pass>

const capacity = 1_000_000
const rate = 500_000

/**
 * What all peers do first: verify the token (ES256, by jose, as its documentation shows), then take from a
 * token bucket in memory, with the four headers. The card number is shown by none of them, so that they need no
 * more of the caller than this.
 */
export function createGuard({ issuer, audience, jwksUrl }: PeerOptions): Guard {
  const keys = createRemoteJWKSet(new URL(jwksUrl))
  const buckets = new Map<string, { tokens: number; at: number }>()
  return async (authorization, query) => {
    const token = authorization?.startsWith('Bearer ') ? authorization.slice(7) : ''
    const options = { issuer, audience, algorithms: ['ES256'], requiredClaims: ['exp', 'sub'] }
    const verified = await jwtVerify(token, keys, options).catch(() => undefined)
    if (!verified) {
      return { status: 401, headers: {} }
    }
    const caller = String(verified.payload.sub)
    const now = Date.now()
    const bucket = buckets.get(caller) ?? { tokens: capacity, at: now }
    const cost = query.includes('include=') ? 2 : 1
    const tokens = Math.min(capacity, bucket.tokens + ((now - bucket.at) * rate) / 1000)
    const left = tokens < cost ? tokens : tokens - cost
    buckets.set(caller, { tokens: left, at: now })
    return {
      status: tokens < cost ? 429 : 200,
      headers: {
        'X-RateLimit-Burst-Capacity': String(capacity),
        'X-RateLimit-Remaining': String(Math.floor(left)),
        'X-RateLimit-Replenish-Rate': String(rate),
        'X-RateLimit-Requested-Tokens': String(cost),
      },
    }
  }
}

/** The options of this process. */
export const options = optionsOf<PeerOptions>()

/** Says that the peer serves. */
export function ready(port: number): void {
  serves({ url: `http://127.0.0.1:${port}/`, pid: process.pid })
}
