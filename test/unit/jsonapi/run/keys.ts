import type { IdempotencyKey } from '../../../../src/jsonapi/run/idempotency.ts'
import type { Outcome } from '../../../../src/jsonapi/run/store.ts'

/** The key of a request whose fingerprint is `same`. */
export const key: IdempotencyKey = {
  name: 'k1',
  fingerprint: 'same',
  isSame: async (fingerprint) => fingerprint === 'same',
}

/** The store's word that a request with the key has created these resources before. */
export const used = (created: readonly string[], fingerprint = 'same'): Outcome => ({
  kind: 'used',
  fingerprint,
  created,
})

/** The header of an answer that tells that nothing was written. */
export const replayed = ['Idempotency-Replayed', 'true']
