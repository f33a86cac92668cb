import { describe, expect, it } from 'vitest'
import { withNamedFields } from '../../support/fields.ts'
import { request, tokenFor, uniqueSubject, variant } from '../../support/service.ts'

const root = '/people/api.v2'
const audience = `https://people.example${root}`
/** The app client whose tokens the service takes. */
const appClient = '1example23456789'

/** The origin of a Worker with another root path and address, which takes the tokens of a user pool of Amazon Cognito. */
const { origin } = await variant({
  ROOT_PATH: root,
  AUTH_URL: 'https://login.example/oauth',
  TOKEN_PROFILE: 'cognito',
  TOKEN_AUDIENCE: `${audience}, ${appClient}`,
})

/** A token of a person as Amazon Cognito writes it, but for other claims. */
function token(claims: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const scope = `openid ${audience}/users.read ${audience}/users.write`
  const cognito = { aud: undefined, token_use: 'access', username: 'ann', version: 2 }
  return tokenFor({ client: appClient, scope, claims: { ...cognito, ...claims } })
}

describe('Under TOKEN_PROFILE cognito', () => {
  it('a person writes and reads what they own', async () => {
    const sub = uniqueSubject()
    const attributes = { fullName: 'Ann', email: `${sub}@example.com` }
    const created = await request('POST', `${root}/users`, {
      origin,
      token: await token({ sub }),
      body: { data: { type: 'users', attributes } },
    })
    expect(created.status).toBe(201)
    expect(withNamedFields(created.document).data.attributes).toEqual(attributes)
  })

  it('the token of another app client is refused', async () => {
    const other = await token({ client_id: 'other', aud: audience })
    const { status } = await request('GET', `${root}/countries`, { origin, token: other })
    expect(status).toBe(401)
  })
})

describe('Another root path', () => {
  it('is part of every link, and the only one', async () => {
    const options = { token: await token(), origin }
    const path = `${root}/users?include=relatives&page[limit]=2`
    const { status, text } = await request('GET', path, options)
    expect(status).toBe(200)
    const links = [...text.matchAll(/"(?:self|next|first|prev|last)":"([^"]*)"/g)]
    expect(links.length).toBeGreaterThan(10)
    for (const [, link] of links) {
      expect(link?.startsWith(`${root}/users`)).toBe(true)
    }
    for (const elsewhere of ['/jsonapi/users', '/jsonapi/docs']) {
      expect((await request('GET', elsewhere, options)).status).toBe(404)
    }
  })

  it('and the addresses of the deployment are those of the description, the docs and the catalog', async () => {
    const { text } = await request('GET', `${root}/oas`, { origin })
    const { servers, components } = JSON.parse(text)
    const { clientCredentials } = components.securitySchemes.Client_Credentials.flows
    expect(servers).toEqual([{ url: audience }])
    expect(clientCredentials.tokenUrl).toBe('https://login.example/oauth/token')
    expect(text).not.toContain('{{')
    for (const page of ['docs', 'docs/docs.js']) {
      expect((await request('GET', `${root}/${page}`, { origin })).status).toBe(200)
    }
    const catalog = await request('GET', '/.well-known/api-catalog', { origin })
    const [, { anchor, 'service-doc': docs }] = JSON.parse(catalog.text).linkset
    expect([anchor, docs[0].href]).toEqual([audience, `${audience}/docs`])
  })
})
