import type { Context, Env } from 'hono'
import {
  type IdempotencyKey,
  idempotencyKeyHeader,
  readIdempotencyKey,
} from '../jsonapi/idempotency.ts'
import type { Verdict } from '../jsonapi/verdict.ts'
import { toBase64Url } from '../lib/base64url.ts'
import type { Signer } from '../lib/key-ring.ts'
import { type Caller, callerText } from '../rate-limit/name.ts'
import type { ParsedRequest } from './bounds.ts'

/** A key, and the request that was sent with it as one text. */
export interface SentKey {
  readonly key: string
  readonly request: string
}

/** Validates the `Idempotency-Key` of a request, if it has one. */
export function validateKey(
  c: Context<Env>,
  { path, search, body }: ParsedRequest,
): Verdict<SentKey | undefined> {
  const verdict = readIdempotencyKey(c.req.header(idempotencyKeyHeader))
  if (!verdict.ok || verdict.value === undefined) {
    return verdict as Verdict<undefined>
  }
  // The body is parsed, so that white space does not count.
  const request = JSON.stringify([path, search, body.ok && body.value])
  return { ok: true, value: { key: verdict.value, request } }
}

const utf8 = new TextEncoder()

/**
 * The key in the form in which it is stored. The name is a plain hash, so that it is found after a change of the key ring. The
 * fingerprint is a keyed hash, because a body can hold a card number.
 */
export async function storedKey(
  sent: SentKey | undefined,
  caller: Caller,
  fingerprints: Signer,
): Promise<IdempotencyKey | undefined> {
  if (!sent) {
    return undefined
  }
  const { key, request } = sent
  const name = utf8.encode(JSON.stringify([callerText(caller), key]))
  return {
    name: toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', name))),
    fingerprint: await fingerprints.sign(request),
    isSame: (fingerprint) => fingerprints.verify(request, fingerprint),
  }
}
