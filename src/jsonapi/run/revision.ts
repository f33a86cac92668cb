import { toBase64Url } from '../../lib/base64url.ts'

/** Bytes of chance in a revision: nobody guesses one, and no two edits make the same. */
const revisionBytes = 12

/** A revision for an edit that is about to be made (contract, section 9). */
export function newRevision(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(revisionBytes)))
}
