import type { Problem } from '../errors.ts'
import { refusedFor, type Verdict } from '../validate.ts'
import { quote } from '../wording.ts'

/** The request header that makes a create or a transaction safe to send again (contract, section 12). */
export const idempotencyKeyHeader = 'Idempotency-Key'

/** The header of a replay: the request has written nothing, because an earlier one with the same key has. */
export const replayedHeader = 'Idempotency-Replayed'

/** The longest key, in characters. */
export const longestKey = 255

/** The characters of a key: visible ASCII. */
const visible = /^[!-~]+$/

/** A string of a structured field (RFC 8941, section 3.3.3) of visible characters. The group holds the text between the quotes. */
const quoted = /^"((?:[!#-[\]-~]|\\["\\])+)"$/

/**
 * Judges the value of the header: a key of 1 to 255 visible ASCII characters, with or without the quotes of a structured field,
 * which are no part of the key. The key is undefined where the request has none.
 */
export function readIdempotencyKey(header: string | undefined): Verdict<string | undefined> {
  if (header === undefined) {
    return { ok: true, value: undefined }
  }
  const key = header.startsWith('"')
    ? quoted.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1')
    : header.match(visible)?.[0]
  if (key !== undefined && key.length <= longestKey) {
    return { ok: true, value: key }
  }
  const problem: Problem = {
    code: 'VALUE_INVALID_FORMAT',
    detail: `${quote(header)} is not a key. A key has 1 to ${longestKey} visible ASCII characters, with or without quotes around them.`,
    source: { header: idempotencyKeyHeader },
  }
  return refusedFor(problem)
}
