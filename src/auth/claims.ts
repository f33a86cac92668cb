import { errors, type JWTPayload } from 'jose'
import * as z from 'zod/mini'
import type { Principal } from '../jsonapi/access.ts'

/** The name of a person or a client: it becomes a key in storage, so it is bounded and clean. */
const name = z.string().check(
  z.minLength(1),
  z.maxLength(255),
  z.refine((text) => text.isWellFormed() && !text.includes('\0')),
)

/** Words in a string, or one by one. */
const words = z.pipe(
  z.transform((value: unknown) => (typeof value === 'string' ? wordsOf(value) : value)),
  z.array(z.string()),
)

/** The claims that decide who calls. Those that jose has judged already are asked for their type only. */
const claimsSchema = z.object({
  iss: z.string(),
  exp: z.number(),
  sub: z.optional(name),
  client_id: z.optional(name),
  azp: z.optional(name),
  scope: z.optional(z.string()),
  scp: z.optional(words),
  gty: z.optional(words),
  idtyp: z.optional(z.string()),
})

type Claims = z.infer<typeof claimsSchema>

/**
 * Who a verified token stands for: a client, or else the person `sub` names (contract, section 3).
 *
 * @throws JWTClaimValidationFailed naming the claim that is missing or not accepted
 */
export function principalOf(payload: JWTPayload): Principal {
  // Bound to a key that a plain bearer cannot show (RFC 7800).
  if (payload.cnf !== undefined) {
    throw refused('cnf', payload)
  }
  const parsed = claimsSchema.safeParse(payload)
  if (!parsed.success) {
    throw refused(String(parsed.error.issues[0]?.path[0]), payload)
  }
  const claims = parsed.data
  const client = isClient(claims)
  const id = client ? (claims.client_id ?? claims.azp ?? claims.sub) : claims.sub
  if (id === undefined) {
    throw refused('sub', payload)
  }
  const scopes = new Set(claims.scope === undefined ? claims.scp : wordsOf(claims.scope))
  return { kind: client ? 'client' : 'user', issuer: claims.iss, id, scopes }
}

function isClient({ sub, client_id, azp, gty, idtyp }: Claims): boolean {
  return (
    sub === undefined ||
    sub === client_id ||
    sub === azp ||
    gty?.includes('client-credentials') === true ||
    idtyp === 'app'
  )
}

function wordsOf(text: string): string[] {
  return text.split(' ').filter(Boolean)
}

function refused(claim: string, payload: JWTPayload): Error {
  return new errors.JWTClaimValidationFailed('claim is not accepted', payload, claim)
}
