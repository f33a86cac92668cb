import type { KeyRing } from '../lib/key-ring.ts'
import { lazyFor } from '../lib/lazy.ts'
import { createSigner } from '../lib/signer.ts'
import { type Caller, callerText } from '../rate-limit/name.ts'

/** Gives the name of a caller in the log. It tells whether two callers are the same, but not who they are. */
export type CallerName = (caller: Caller) => string | Promise<string>

/** The characters of a name: 96 bits of a keyed hash, as base64url. */
const length = 16

/** Is this the form of a name of a caller in the log? */
export function isCallerName(text: string): boolean {
  return text.length === length && /^[\w-]+$/.test(text)
}

/** Makes the function that names callers in the log, under the current key of a ring (contract, section 19). */
export function createCallerName(ring: KeyRing): CallerName {
  const { sign } = createSigner(ring, 'caller in the log')
  return lazyFor(async (caller: Caller) => (await sign(callerText(caller))).slice(0, length))
}

/**
 * Makes the function that gives all names of a caller in the log: by the id of each key of a ring, the name while that key is the
 * current one.
 */
export function createCallerNames(
  ring: KeyRing,
): (caller: Caller) => Promise<ReadonlyMap<string, string>> {
  const under = [...ring.keys.keys()].map(
    (id) => [id, createCallerName({ ...ring, current: id })] as const,
  )
  return async (caller) =>
    new Map(
      await Promise.all(under.map(async ([id, nameOf]) => [id, await nameOf(caller)] as const)),
    )
}
