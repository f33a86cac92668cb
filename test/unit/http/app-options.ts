import type { AppOptions } from '../../../src/app.ts'
import { idempotency } from '../../../src/idempotency/idempotency.ts'
import { parseKeyRing } from '../../../src/lib/key-ring.ts'
import { createCallerName } from '../../../src/rate-limit/name.ts'
import { rateLimitFrom } from '../../../src/rate-limit/policy.ts'
import { cardKeys } from '../../support/card-keys.ts'
import { sealer } from '../../support/sealer.ts'
import { oneBucket, openLimiter } from '../rate-limit/open.ts'

/** The limits where nothing is configured. */
const defaultRateLimit = rateLimitFrom({})

/** What a service is made of where a test is about something else. */
export const appOptions = {
  root: '',
  sealer,
  extension: idempotency(parseKeyRing(cardKeys)),
  callerName: createCallerName(parseKeyRing(cardKeys)),
  blockedCallers: new Set<string>(),
  corsOrigins: new Set<string>(),
  limit: defaultRateLimit,
  limiter: openLimiter,
  bucketNames: oneBucket,
} satisfies Partial<AppOptions>
