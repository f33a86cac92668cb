import { randomUUID } from 'node:crypto'
import { allScopes, type Sign } from '../../../test/bench/issuer.ts'

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

type Making = (sign: Sign, sub: string) => Promise<readonly string[]>

const day = 86_400

/** Tokens that must be refused, each wrong in one way. */
const wrong: Readonly<Record<string, Making>> = {
  'no credential': async () => [],
  'empty credential': async () => [''],
  'a scheme without a token': async () => ['Bearer'],
  'another scheme': async () => ['Basic dXNlcjpwYXNz'],
  garbage: async () => ['Bearer abc'],
  'garbage of three parts': async () => ['Bearer a.b.c'],
  'a token of 9,000 characters': async () => [`Bearer ${'a'.repeat(9000)}`],
  'an expired token': (sign, sub) => bearer(sign({ sub, scope: allScopes, expiresIn: -60 })),
  'a token of another issuer': (sign, sub) => claiming(sign, sub, { iss: 'https://other.example' }),
  'a token for another audience': (sign, sub) =>
    claiming(sign, sub, { aud: 'https://other.example' }),
  'a token not valid yet': (sign, sub) =>
    claiming(sign, sub, { nbf: Math.floor(Date.now() / 1000) + day }),
  'a token bound to a key': (sign, sub) => claiming(sign, sub, { cnf: { jkt: 'x' } }),
  'a token with a numeric subject': (sign, sub) => claiming(sign, sub, { sub: 5 as never }),
  'a token with an empty subject': (sign, sub) => claiming(sign, sub, { sub: '' }),
  'a token of another type': (sign, sub) =>
    bearer(sign({ sub, scope: allScopes, header: { typ: 'id+jwt' } })),
  'a token of a type that is no string': (sign, sub) =>
    bearer(sign({ sub, scope: allScopes, header: { typ: ['at+jwt'] } })),
  'a token of an unknown key': (sign, sub) =>
    bearer(sign({ sub, scope: allScopes, header: { kid: randomUUID() } })),
  'a token with a critical extension': (sign, sub) =>
    tampered(sign, sub, { alg: 'ES256', kid: 'test', typ: 'at+jwt', crit: ['b64'], b64: false }),
  'an unsigned token': (sign, sub) => tampered(sign, sub, { alg: 'none', typ: 'at+jwt' }, ''),
  'a token of a symmetric algorithm': (sign, sub) =>
    tampered(sign, sub, { alg: 'HS256', kid: 'test', typ: 'at+jwt' }),
  'a token with another signature': async (sign, sub) => {
    const [header, payload] = (await sign({ sub, scope: allScopes })).split('.')
    return [`Bearer ${header}.${payload}.${'A'.repeat(86)}`]
  },
  'a token with other claims': async (sign, sub) => {
    const [header, , signature] = (await sign({ sub, scope: allScopes })).split('.')
    return [`Bearer ${header}.${encoded({ sub: 'victim', scope: allScopes })}.${signature}`]
  },
  'two credentials': async (sign, sub) => {
    const token = await sign({ sub, scope: allScopes })
    return [`Bearer ${token}`, `Bearer ${token}`]
  },
}

/** The names of the wrong ones. */
export const wrongTokens: readonly string[] = Object.keys(wrong)

/** A wrong credential of a person. */
export async function wrongCredential(sign: Sign, sub: string, name: string): Promise<Credential> {
  const values = (await wrong[name]?.(sign, sub)) ?? []
  return { name, values, status: 401, scopes: [] }
}

/** A person's good credential with these scopes. */
export async function personCredential(
  sign: Sign,
  sub: string,
  scopes: readonly string[],
  needed: readonly string[],
): Promise<Credential> {
  const values = await bearer(sign({ sub, scope: scopes.join(' ') }))
  const status = needed.every((scope) => scopes.includes(scope)) ? 200 : 403
  return { name: `a person's token with ${scopes.join(' ') || 'no scope'}`, values, status, scopes }
}

/** A client's good credential: it has nobody's rights, whatever scopes it carries. */
export async function clientCredential(sign: Sign, isTaken: boolean): Promise<Credential> {
  const values = await bearer(sign({ scope: allScopes }))
  return { name: "a client's token", values, status: isTaken ? 200 : 403, scopes: [] }
}

async function bearer(token: Promise<string>): Promise<readonly string[]> {
  return [`Bearer ${await token}`]
}

function claiming(sign: Sign, sub: string, claims: object): Promise<readonly string[]> {
  return bearer(sign({ sub, scope: allScopes, claims: { ...claims } }))
}

async function tampered(
  sign: Sign,
  sub: string,
  header: object,
  otherSignature?: string,
): Promise<readonly string[]> {
  const [, payload, signature] = (await sign({ sub, scope: allScopes })).split('.')
  return [`Bearer ${encoded(header)}.${payload}.${otherSignature ?? signature}`]
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
