import { beforeAll, describe, expect, it } from 'vitest'
import {
  type BackDoor,
  get,
  request,
  tokenFor,
  uniqueSubject,
  variant,
} from '../../support/service.ts'
import { audience } from '../../support/signing-key.ts'

/** The app client whose tokens the service takes. */
const appClient = '1example23456789'

/** A Worker that takes the tokens of a user pool of Amazon Cognito. */
let pool: BackDoor
beforeAll(async () => {
  pool = await variant({ TOKEN_PROFILE: 'cognito', TOKEN_AUDIENCE: `${audience}, ${appClient}` })
})

/** A token of a person as Amazon Cognito writes it, but for other claims. */
function token(claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const scope = `openid ${audience}/users.read ${audience}/users.write`
  const cognito = { aud: undefined, token_use: 'access', username: 'ann', version: 2 }
  return tokenFor({ client: appClient, scope, claims: { ...cognito, ...claims } })
}

describe('Under TOKEN_PROFILE cognito', () => {
  it('a person reads, and writes what they own', async () => {
    const sub = uniqueSubject()
    const email = `${sub}@example.com`
    const created = await request('POST', '/jsonapi/users', {
      origin: pool.origin,
      token: await token({ sub }),
      body: { data: { type: 'users', attributes: { fullName: 'Ann', email } } },
    })
    expect(created.status).toBe(201)
    const removed = await request('DELETE', `/jsonapi/users/${created.document.data.id}`, {
      origin: pool.origin,
      token: await token({ sub }),
    })
    expect(removed.status).toBe(204)
  })

  it('the token of another app client is refused', async () => {
    const other = await token({ client_id: 'other', aud: audience })
    expect((await get('/countries', other, { origin: pool.origin })).status).toBe(401)
  })
})
