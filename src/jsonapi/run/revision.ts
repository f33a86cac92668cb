/**
 * Makes the revision of a new edit (contract, section 9): 96 random bits of a UUID (RFC 9562, section 5.4) as 24 hexadecimal
 * digits, so that nobody can guess one, and no two edits make the same. To fill an array with random bytes costs several times
 * as much.
 */
export function newRevision(): string {
  const uuid = crypto.randomUUID()
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(24)
}
