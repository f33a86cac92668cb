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

/** How many requests one shared caller makes: at 5 tokens each, its bucket is never empty. */
const uses = 20

/** Hands out the same token several times, which saves a bucket and a signature for each request that needs none of its own. */
function shared(make: () => Promise<string>): () => Promise<string> {
  let count = 0
  let token = make()
  return () => {
    if (count++ % uses === 0 && count > 1) {
      token = make()
    }
    return token
  }
}

/** A token of some person who reads everything and owns nothing, for a request that costs at most 5. */
export const reader = shared(async () => (await uniquePerson()).token)

/** A token of some client, for a request that costs at most 5. */
export const client = shared(() => clientToken())
