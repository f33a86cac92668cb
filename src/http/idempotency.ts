import type { Context } from 'hono'
import type { IdempotencyKey } from '../jsonapi/run/idempotency.ts'
import { toBase64Url } from '../lib/base64url.ts'
import type { Signer } from '../lib/signer.ts'
import { callerText } from '../rate-limit/name.ts'
import type { AppEnv } from './context.ts'
import { requestTarget } from './query.ts'

const utf8 = new TextEncoder()

/**
 * The key of a valid request as it is stored (contract, section 12); undefined where the request has none.
 *
 * The name is a plain hash. It stays the same when the key ring gets another current key, so that a repeated request is still
 * found. The fingerprint is a keyed hash, because a body can hold a card number, and all card numbers could be tried against a
 * plain hash. It is made from the parsed body, so that white space does not count.
 */
export function idempotencyKeyOf(
  c: Context<AppEnv>,
  fingerprints: Signer,
  key: string | undefined,
): undefined | Promise<IdempotencyKey> {
  const body = c.get('body')
  return key === undefined || !body.ok ? undefined : storedKey(c, fingerprints, key, body.value)
}

async function storedKey(
  c: Context<AppEnv>,
  fingerprints: Signer,
  key: string,
  body: object,
): Promise<IdempotencyKey> {
  const request = JSON.stringify([...requestTarget(c), body])
  const name = utf8.encode(JSON.stringify([callerText(c.get('principal')), key]))
  return {
    name: toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', name))),
    fingerprint: await fingerprints.sign(request),
    isSame: (fingerprint) => fingerprints.verify(request, fingerprint),
  }
}
