import { createSigner, type KeyRing } from '../lib/key-ring.ts'
import { type Caller, callerText } from '../rate-limit/name.ts'

/** Gives the name of a caller in the log. It tells whether two callers are the same, but not who they are. */
export type CallerName = (caller: Caller) => Promise<string>

/** Is this the form of a name in the log? A name is 96 bits of a keyed hash, as base64url. */
export function isCallerName(text: string): boolean {
  return /^[\w-]{16}$/.test(text)
}

/** Makes the function that names callers in the log, under the current key of a ring. */
export function createCallerName(ring: KeyRing): CallerName {
  const { sign } = createSigner(ring, 'caller in the log')
  const names = new WeakMap<Caller, string>()
  return async (caller) => {
    const name = names.get(caller) ?? (await sign(callerText(caller))).slice(0, 16)
    names.set(caller, name)
    return name
  }
}
