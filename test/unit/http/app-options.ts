import type { AppOptions, createApp } from '../../../src/app.ts'
import { idempotency } from '../../../src/idempotency/idempotency.ts'
import { atomicExtension } from '../../../src/jsonapi/atomic/extension.ts'
import type { Principal } from '../../../src/jsonapi/declare/resource.ts'
import { parseKeyRing } from '../../../src/lib/key-ring.ts'
import { rateLimitFrom } from '../../../src/rate-limit/policy.ts'
import { cardKeys } from '../../support/card-keys.ts'
import { sealer } from '../../support/sealer.ts'
import { openLimiter } from '../rate-limit/open.ts'

/** The limits where nothing is configured. */
const defaultRateLimit = rateLimitFrom({})

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

/** Takes each request for one of a person, or of a client, with scopes. */
export async function callOf(
  id: string,
  scopes: readonly string[],
  kind: Principal['kind'] = 'user',
) {
  const principal: Principal = { kind, issuer: 'i', id, scopes: new Set(scopes) }
  return { bucket: 'bucket', name: id, principal }
}

/** Sends a request to a service in this process, with a token. The document is empty where the answer is. */
export async function sendTo(
  app: ReturnType<typeof createApp>,
  method: string,
  path: string,
  body?: object,
) {
  const extension = path === '/operations' ? `;ext="${atomicExtension}"` : ''
  const text = body && JSON.stringify(body)
  const response = await app.request(path, {
    method,
    headers: {
      Authorization: 'Bearer x',
      'Content-Type': `application/vnd.api+json${extension}`,
      'Content-Length': String(text?.length ?? 0),
    },
    ...(text && { body: text }),
  })
  const answer = await response.text()
  return { status: response.status, document: answer === '' ? {} : JSON.parse(answer) }
}
