import { toBase64Url } from '../../lib/base64url.ts'

/** Random bytes in a revision: so many that nobody can guess one, and that no two edits make the same. */
const revisionBytes = 12

/** Makes the revision of a new edit (contract, section 9). */
export function newRevision(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(revisionBytes)))
}
