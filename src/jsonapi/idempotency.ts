import { ApiError, faultCodes, type Problem, quote } from './problems.ts'
import { refusedFor, type Verdict } from './verdict.ts'

/** The request header that makes a create or a transaction safe to send again. */
export const idempotencyKeyHeader = 'Idempotency-Key'

/** The header of a replay: the request has written nothing, because an earlier one with the same key has. */
export const replayedHeader = 'Idempotency-Replayed'

/** The maximum length of a key, in characters. */
export const maxKeyLength = 255

/** The characters of a key: visible ASCII. */
const visible = /^[!-~]+$/

/** A string of a structured field (RFC 8941, section 3.3.3) of visible characters. The group holds the text between the quotes. */
const quoted = /^"((?:[!#-[\]-~]|\\["\\])+)"$/

/**
 * Parses the value of the header: a key of 1 to 255 visible ASCII characters, with or without the quotes of a structured field,
 * which are no part of the key. The key is undefined where the request has none.
 */
export function readIdempotencyKey(header: string | undefined): Verdict<string | undefined> {
  if (header === undefined) {
    return { ok: true, value: undefined }
  }
  const key = header.startsWith('"')
    ? quoted.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1')
    : header.match(visible)?.[0]
  if (key !== undefined && key.length <= maxKeyLength) {
    return { ok: true, value: key }
  }
  const problem: Problem = {
    code: 'VALUE_INVALID_FORMAT',
    detail: `${quote(header)} is not a key. A key has 1 to ${maxKeyLength} visible ASCII characters, with or without quotes around them.`,
    source: { header: idempotencyKeyHeader },
  }
  return refusedFor(problem)
}

/** The key of one request in the form in which it is stored. It reveals neither the key nor the request. */
export interface IdempotencyKey {
  /** A name of the caller and its key together: the same text for the same two, and another text for any others. */
  readonly name: string
  /** The fingerprint of path, query and body. */
  readonly fingerprint: string
  /** Is a stored fingerprint that of this path, query and body? */
  readonly isSame: (fingerprint: string) => Promise<boolean>
}

/**
 * The headers that tell that nothing was written, because an earlier request with the key has written. There are none where that
 * was an earlier attempt of the same request, whose answer was lost: what it has created has the ids of this one. An attempt that
 * creates nothing looks like another request.
 *
 * @param own the ids that this request would have created
 * @param before the ids that the earlier one has created
 */
export function replayHeaders(
  own: readonly string[],
  before: readonly string[],
): readonly (readonly [name: string, value: string])[] {
  const isOwn = own.length > 0 && own.join() === before.join()
  return isOwn ? [] : [[replayedHeader, 'true']]
}

/**
 * The ids of the resources that an earlier request with the key has created, in the order of creation.
 *
 * @throws ApiError CONFLICT when that request had another path, query or body
 */
export async function createdBefore(
  key: IdempotencyKey | undefined,
  { fingerprint, created }: { readonly fingerprint: string; readonly created: readonly string[] },
): Promise<readonly string[]> {
  if (!key) {
    throw new Error('The store reports a used key, but the request has no key')
  }
  if (!(await key.isSame(fingerprint))) {
    throw conflict(
      'The key was used within 24 hours by a request with another path, query or body. Send this request with another key.',
    )
  }
  return created
}

/** The error of a replay whose resource does not exist any more: CONFLICT at the header. */
export function gone(type: string): ApiError {
  return conflict(
    `The resource of type ${type} that was created with this key does not exist any more. Send another key to create a new one.`,
  )
}

function conflict(detail: string): ApiError {
  return ApiError.of(faultCodes.usedKey, detail, { header: idempotencyKeyHeader })
}
