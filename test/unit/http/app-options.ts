import type { AppOptions, createApp } from '../../../src/app.ts'
import { idempotency } from '../../../src/idempotency/idempotency.ts'
import { atomicExtension } from '../../../src/jsonapi/atomic/extension.ts'
import type { Principal } from '../../../src/jsonapi/declare/resource.ts'
import { parseKeyRing } from '../../../src/lib/key-ring.ts'
import type { RateLimiter } from '../../../src/rate-limit/client.ts'
import { rateLimitFrom } from '../../../src/rate-limit/policy.ts'
import { cardKeys } from '../../support/card-keys.ts'
import { sealer } from '../../support/sealer.ts'

/** The limits where nothing is configured. */
const defaultRateLimit = rateLimitFrom({})

/** A limiter that lets everything pass. */
export const openLimiter: RateLimiter = {
  recall: () => undefined,
  ask: (_, cost) => ({
    mayStart: true,
    verdict: Promise.resolve({
      capacity: 100,
      rate: 50,
      allowed: true,
      remaining: 99,
      waitMs: 0,
      cost,
    }),
  }),
}

/** What old keys are removed from. No test here does so. */
const database = {} as Parameters<typeof idempotency>[1]

/** What a service is made of where a test is about something else. */
export const appOptions = {
  root: '',
  sealer,
  capabilities: [idempotency(parseKeyRing(cardKeys), database, false)],
  blockedCallers: new Set<string>(),
  corsOrigins: new Set<string>(),
  limit: defaultRateLimit,
  limiter: openLimiter,
  addressBucket: async () => 'bucket',
} satisfies Partial<AppOptions>

/** Takes each token for the name of a person with scopes, or of the `client`. */
export const personsWith =
  (scopes: readonly string[]): AppOptions['verify'] =>
  async (header) => {
    const id = String(header).slice('Bearer '.length)
    const kind = id === 'client' ? 'client' : 'user'
    const principal: Principal = { kind, issuer: 'i', id, scopes: new Set(scopes) }
    return { bucket: 'bucket', name: id, principal }
  }

/** What a request brings beside its method and path. A body is sent as JSON:API. */
export interface Call {
  /** The name of the caller. */
  readonly as?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request to a service in this process. The document is empty where the answer is. */
export async function sendTo(
  app: ReturnType<typeof createApp>,
  method: string,
  path: string,
  { as = 'ann', body, headers }: Call = {},
) {
  const extension = path.endsWith('/operations') ? `;ext="${atomicExtension}"` : ''
  const text = JSON.stringify(body)
  const response = await app.request(path, {
    method,
    headers: {
      Authorization: `Bearer ${as}`,
      'Content-Type': `application/vnd.api+json${extension}`,
      'Content-Length': String(text ? Buffer.byteLength(text) : 0),
      ...headers,
    },
    ...(text && { body: text }),
  })
  const answer = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    document: answer === '' ? {} : JSON.parse(answer),
  }
}
