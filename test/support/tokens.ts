import { inject } from 'vitest'
import { signerOf, type TokenOptions } from './signing-key.ts'

/** The scopes that let a person read everything. */
const readScopes = 'users.read users.sensitive.read users.citizenships.read'

const sign = await signerOf(inject('signingKey'))

/** An access token of a person that no other test uses unless it is named, signed by the issuer that the service trusts. */
export function tokenFor(options: TokenOptions = {}): Promise<string> {
  return sign({ sub: uniqueSubject(), ...options })
}

/** A client-credentials token; of a client of its own, so that its bucket is full, unless one is named. */
export function clientToken(client = `client-${crypto.randomUUID()}`): Promise<string> {
  return tokenFor({ sub: client, client })
}

/** The token of a person, for instance `person('1')`: the owner of the demo user John Doe, who reads everything. */
export function person(sub: string, scope = readScopes): Promise<string> {
  return tokenFor({ sub, scope })
}

/** A subject that no other test uses: its bucket is full, and it owns nothing. */
export function uniqueSubject(): string {
  return `person-${crypto.randomUUID()}`
}

/** A person that no other test uses, and a token of theirs. */
export async function uniquePerson(
  scope = readScopes,
): Promise<{ readonly sub: string; readonly token: string }> {
  const sub = uniqueSubject()
  return { sub, token: await person(sub, scope) }
}

/** A token of some person who reads everything and owns nothing. */
export async function reader(): Promise<string> {
  return (await uniquePerson()).token
}
