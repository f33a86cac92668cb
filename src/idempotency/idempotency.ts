import { base64url } from 'jose'
import type { Opened } from '#engine'
import { callerText, type Identity } from '../auth/names.ts'
import type { Capability, Route } from '../http/serve.ts'
import { ApiError, type ErrorCode, quote } from '../jsonapi/problems.ts'
import type { Edit, Found, Store } from '../jsonapi/run/port.ts'
import { createSigner, type KeyRing } from '../lib/key-ring.ts'
import { onceFor, removeOldKeys } from './stored-keys.ts'

// `Idempotency-Key`: a request that creates something can be sent again.

declare module 'hono' {
  interface ContextVariableMap {
    /** The key of the request. Not set if it has none. */
    key: string
  }
}

/** The request header that makes a create or a transaction safe to send again. */
const keyHeader = 'Idempotency-Key'

/** The header of a replay: the request has written nothing, because an earlier one with the same key has. */
const replayedHeader = 'Idempotency-Replayed'

/** The code of the error of a key that was used by another request, or for a resource that is gone. */
const usedKey: ErrorCode = 'CONFLICT'

/** The maximum length of a key, in characters. */
const maxKeyLength = 255

/** What the description says about keys. */
export const keyHeaders = {
  parameters: {
    [keyHeader]: {
      description:
        'Makes the request safe to send again. When the same caller sends the same request with the same key again within 24 hours, nothing more is written, and the answer shows what the first request created. Another request with the key is a 409. Requests that fail are not remembered. The key may stand in double quotes. It has no example, because each new request needs a new one, such as a UUID.',
      // A key with a quote at its beginning is read as a string of a structured field, so the pattern excludes it.
      schema: { type: 'string', maxLength: maxKeyLength, pattern: '^[!#-~][!-~]*$' },
    },
  },
  headers: {
    [replayedHeader]: {
      description:
        'This request has written nothing, because an earlier one with the same `Idempotency-Key` has. The answer shows what that one created as it is now.',
      schema: { type: 'string', enum: ['true'] },
    },
  },
  isOn: ({ creates }: { readonly creates: boolean }) => creates,
  advice:
    'Send an `Idempotency-Key`, so that the request can be sent again when its answer is lost.',
  fault: usedKey,
}

/** Lets the routes that create something accept an `Idempotency-Key`. Keys are stored as hashes, under a key ring. */
export function idempotency(ring: KeyRing, database: Opened, readOnly: boolean): Capability {
  const fingerprints = createSigner(ring, 'fingerprint of a request')
  return {
    requestHeaders: [keyHeader],
    responseHeaders: [replayedHeader],
    scheduled: () => removeOldKeys(database, readOnly),
    extend<Content>(route: Route<Content>): Route<Content> {
      if (!route.creates) {
        return route
      }
      return {
        ...route,
        validate(c, target, principal, problems) {
          const header = c.req.header(keyHeader)
          const key = header === undefined ? undefined : parseKey(header)
          if (key !== undefined) {
            c.set('key', key)
          } else if (header !== undefined) {
            const detail = `${quote(header)} is not a key. A key has 1 to ${maxKeyLength} visible ASCII characters, with or without quotes around them.`
            problems.addProblem(detail, { header: keyHeader })
          }
          return route.validate(c, target, principal, problems)
        },
        async answer(c, content, service) {
          const { key, principal, body } = c.var
          if (key === undefined) {
            return route.answer(c, content, service)
          }
          const { store, target } = service
          // The body is parsed, so white space does not count.
          const request = JSON.stringify([target.path, target.search, body])
          const name = await storedName(principal, key)
          const guard = onceFor({ name, fingerprint: await fingerprints.sign(request) })
          let isReplay = false
          const write: Store['write'] = async (edits) => {
            const outcome = await store.write(edits, guard)
            if (outcome.kind !== 'used') {
              return outcome
            }
            if (!(await fingerprints.verify(request, outcome.fingerprint))) {
              throw conflict(otherRequest)
            }
            const own = edits.filter(({ kind }) => kind === 'create')
            // The same ids are those of an earlier attempt of this request, whose answer was lost.
            isReplay = own.length === 0 || own.map(({ id }) => id).join() !== outcome.created.join()
            const found = await readCreated(store, own, outcome.created, route.creates)
            return { kind: 'done', found }
          }
          const once = { ...service, store: { ...store, write } }
          const response = await route.answer(c, content, once)
          if (isReplay) {
            response.headers.set(replayedHeader, 'true')
          }
          return response
        },
      }
    },
  }
}

/**
 * Reads what an earlier request has created, as edits would read what they create.
 *
 * @throws ApiError CONFLICT if the request creates one resource, which does not exist any more
 */
async function readCreated(
  { read }: Store,
  edits: readonly Edit[],
  ids: readonly string[],
  creates: Route<unknown>['creates'],
): Promise<readonly Found[]> {
  const [first, ...rest] = edits.flatMap((edit, index) => {
    const from = { kind: 'ids' as const, ids: ids.slice(index, index + 1) }
    return edit.read ? { ...edit.read, from } : []
  })
  const found = first ? await read([first, ...rest]) : []
  if (creates === 'one' && found[0]?.records.length === 0) {
    throw conflict(
      `The resource of type ${edits[0]?.type} that was created with this key does not exist any more. Send another key to create a new one.`,
    )
  }
  return found
}

const otherRequest =
  'The key was used within 24 hours by a request with another path, query or body. Send this request with another key.'

function conflict(detail: string): ApiError {
  return ApiError.of(usedKey, detail, { header: keyHeader })
}

/**
 * A key of visible ASCII characters, or a string of such characters as in a structured field (RFC 8941, section 3.3.3). The group holds
 * the text between the quotes.
 */
const keyForm = /^(?:[!#-~][!-~]*|"((?:[!#-[\]-~]|\\["\\])+)")$/

/** The key in a header. It may stand in the quotes of a structured field, which are no part of it. */
export function parseKey(header: string): string | undefined {
  const [bare, quoted] = keyForm.exec(header) ?? []
  const key = quoted?.replace(/\\(["\\])/g, '$1') ?? bare
  return key !== undefined && key.length <= maxKeyLength ? key : undefined
}

/**
 * The name under which a key is stored: a plain hash, so that it is found after a change of the key ring. The fingerprint is a keyed
 * hash, because a body can hold a card number.
 */
async function storedName(caller: Identity, key: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([callerText(caller), key]))
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', text)))
}
