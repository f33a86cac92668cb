import { ApiError } from '../errors.ts'
import { idempotencyKeyHeader, replayedHeader } from '../request/idempotency-key.ts'
import type { Outcome } from './store.ts'

/** The key of one request, as it is stored: neither the key nor the request can be told from it (contract, section 12). */
export interface IdempotencyKey {
  /** Names the caller and its key together. The same text for the same two, and for no others. */
  readonly name: string
  /** Stands for path, query and body. */
  readonly fingerprint: string
  /** Is a stored fingerprint that of the same path, query and body? */
  readonly isSame: (fingerprint: string) => Promise<boolean>
}

/** Marks the answer to a request that has written nothing, because an earlier one with the key has. */
export const replayed = [replayedHeader, 'true'] as const

/**
 * The ids of what an earlier request with the key has created, in the order in which it did.
 *
 * @throws ApiError CONFLICT when that request was another one
 */
export async function createdBefore(
  key: IdempotencyKey | undefined,
  { fingerprint, created }: Extract<Outcome, { readonly kind: 'used' }>,
): Promise<readonly string[]> {
  if (!key) {
    throw new Error('A key is used that the request does not have')
  }
  if (!(await key.isSame(fingerprint))) {
    throw conflict(
      'The key was used within 24 hours by a request with another path, query or body. Send this one with a key of its own.',
    )
  }
  return created
}

/** What an earlier request with the key has created is gone: CONFLICT at the header. */
export function gone(type: string): ApiError {
  return conflict(
    `The resource of type ${type} that was created with this key does not exist any more. A new one takes a new key.`,
  )
}

function conflict(detail: string): ApiError {
  return ApiError.of('CONFLICT', detail, { header: idempotencyKeyHeader })
}
