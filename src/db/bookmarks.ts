import { fromBase64Url, toBase64Url } from '../lib/base64url.ts'
import { putBounded } from '../lib/kept.ts'
import type { Signer } from '../lib/key-ring.ts'

/** A state of the database as D1 names it. All names have the same width, so that a newer state has a greater text. */
const stateFormat = /^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/

/** A bookmark: a state as base64url (59 characters become 79), followed by its signature of 43 characters. */
const bookmarkFormat = /^([\w-]{79})([\w-]{43})$/

/** The most callers that are remembered, and the milliseconds for which each is remembered after its last write. */
const memory = { callers: 10_000, milliseconds: 60_000 }

/** The states of the database that callers have seen (contract, section 16). */
export interface Bookmarks {
  /**
   * The newest state that a caller is known to have seen, if any: the one after its last write of the past minute, or the one
   * that its bookmark names. A bookmark that is forged or of another database is ignored.
   */
  newest(caller: string, bookmark: string | undefined): Promise<string | undefined>
  /** Remembers the state that a caller's write has led to. */
  remember(caller: string, state: string | null): void
  /** The bookmark of a state; null where there is no state, or its text does not have the format that D1 documents. */
  write(state: string | null): Promise<string | null>
}

/**
 * Keeps bookmarks of one database, for one isolate.
 *
 * @param database the name of the database. A bookmark of another one would make D1 wait for a state that never comes
 */
export function createBookmarks(database: string, signer: Signer): Bookmarks {
  const lastWrites = new Map<string, { readonly state: string; readonly at: number }>()
  const signed = (state: string): string => JSON.stringify([database, state])

  const read = async (bookmark: string): Promise<string | undefined> => {
    const [, encoded, code] = bookmarkFormat.exec(bookmark) ?? []
    if (encoded === undefined || code === undefined) {
      return undefined
    }
    const state = String.fromCharCode(...fromBase64Url(encoded))
    return stateFormat.test(state) && (await signer.verify(signed(state), code)) ? state : undefined
  }
  const recall = (caller: string): string | undefined => {
    const last = lastWrites.get(caller)
    return last && Date.now() - last.at < memory.milliseconds ? last.state : undefined
  }
  return {
    async newest(caller, bookmark) {
      const own = bookmark === undefined ? undefined : await read(bookmark)
      return newer(own, recall(caller))
    },
    remember(caller, state) {
      if (state === null || !stateFormat.test(state) || newer(state, recall(caller)) !== state) {
        return
      }
      putBounded(lastWrites, caller, { state, at: Date.now() }, memory.callers)
    },
    async write(state) {
      if (state === null || !stateFormat.test(state)) {
        return null
      }
      const bytes = Uint8Array.from(state, (character) => character.charCodeAt(0))
      return toBase64Url(bytes) + (await signer.sign(signed(state)))
    },
  }
}

function newer(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one
}
