import { randomUUID } from 'node:crypto'
import { allScopes } from '../bench/issuer.ts'
import type { Sign } from '../support/signing-key.ts'

/** An `Authorization` header, and what must come of it. */
export interface Credential {
  readonly name: string
  /** Values of the header; none leaves it out. */
  readonly values: readonly string[]
  /** 401 and 403 are those of the token alone. */
  readonly status: 200 | 401 | 403
  /** Scopes of the token where it is good. */
  readonly scopes: readonly string[]
}

/** Signs a token that would be good, but for what is said. A list holds the values of the header itself. */
type Making = (sign: Sign) => Promise<Made> | Made
type Made = string | readonly string[]

/** Tokens that must be refused, each wrong in one way. test/unit/auth has them all. */
const wrong: Readonly<Record<string, Making>> = {
  'no credential': () => [],
  'a scheme without a token': () => ['Bearer'],
  'another scheme': () => ['Basic dXNlcjpwYXNz'],
  'two credentials': async (sign) => Array(2).fill(`Bearer ${await sign()}`),
  'garbage of three parts': () => 'a.b.c',
  'a token of 9,000 characters': () => 'a'.repeat(9000),
  'an expired token': (sign) => sign({ expiresIn: -60 }),
  'a token of another issuer': (sign) => sign({ claims: { iss: 'https://other.example' } }),
  'a token with a numeric subject': (sign) => sign({ claims: { sub: 5 as never } }),
  'a token of a type that is no string': (sign) => sign({ header: { typ: ['at+jwt'] } }),
  'a token of an unknown key': (sign) => sign({ header: { kid: randomUUID() } }),
  'a token with a critical extension': (sign) =>
    changed(sign, 0, { alg: 'ES256', kid: 'test', typ: 'at+jwt', crit: ['b64'], b64: false }),
  'a token of a symmetric algorithm': (sign) =>
    changed(sign, 0, { alg: 'HS256', kid: 'test', typ: 'at+jwt' }),
  'a token with other claims': (sign) => changed(sign, 1, { sub: 'victim', scope: allScopes }),
}

/** A token with another header (0) or other claims (1), under the signature of before. */
async function changed(sign: Sign, part: 0 | 1, value: object): Promise<string> {
  const encoded = Buffer.from(JSON.stringify(value)).toString('base64url')
  return (await sign()).split('.').with(part, encoded).join('.')
}

/** The names of the wrong ones. */
export const wrongTokens: readonly string[] = Object.keys(wrong)

/** A wrong credential of a person. */
export async function wrongCredential(sign: Sign, sub: string, name: string): Promise<Credential> {
  const made = await wrong[name]?.((options) => sign({ sub, scope: allScopes, ...options }))
  const values = typeof made === 'string' ? [`Bearer ${made}`] : (made ?? [])
  return { name, values, status: 401, scopes: [] }
}

/** A person's good credential with these scopes. */
export async function personCredential(
  sign: Sign,
  sub: string,
  scopes: readonly string[],
  needed: readonly string[],
): Promise<Credential> {
  const values = [`Bearer ${await sign({ sub, scope: scopes.join(' ') })}`]
  const status = needed.every((scope) => scopes.includes(scope)) ? 200 : 403
  return { name: `a person's token with ${scopes.join(' ') || 'no scope'}`, values, status, scopes }
}

/** A client's good credential: it has nobody's rights, whatever scopes it carries. */
export async function clientCredential(sign: Sign, isTaken: boolean): Promise<Credential> {
  const values = [`Bearer ${await sign({ scope: allScopes })}`]
  return { name: "a client's token", values, status: isTaken ? 200 : 403, scopes: [] }
}
