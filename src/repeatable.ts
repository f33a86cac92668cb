import { env } from 'cloudflare:workers'
import { openDatabase } from '#engine'
import { readConfig } from './config.ts'
import { onceFor, removeOldKeys } from './db/keys.ts'
import { idempotency } from './http/idempotency.ts'
import { describe, log } from './http/log.ts'
import type { Extension } from './http/serve.ts'
import { createSigner, type KeyRing } from './lib/key-ring.ts'

/** Lets creates and transactions be sent again, under a key ring. */
export function repeatable(ring: KeyRing): Extension {
  return idempotency(createSigner(ring, 'fingerprint of a request'), onceFor)
}

/**
 * Removes old `Idempotency-Key`s, and logs how many, and how large the database is. It does nothing while writes are refused.
 *
 * @throws the error of the database, so that the platform's list of runs shows the failure
 */
export async function removeKeys(): Promise<void> {
  const start = Date.now()
  try {
    const { readOnly, databaseDeadlineMs: deadlineMs } = readConfig(env)
    if (readOnly) {
      log({ level: 'info', event: 'old keys kept', cause: 'READ_ONLY is set' })
      return
    }
    const database = openDatabase(env, { deadlineMs, replicated: false })
    const done = await removeOldKeys(() => database.connect({ writes: true }))
    const bytes = await database.size()
    log({ level: 'info', event: 'old keys removed', ...done, bytes, ms: Date.now() - start })
  } catch (error) {
    log({ level: 'error', event: 'old keys not removed', cause: describe(error) })
    throw error
  }
}
