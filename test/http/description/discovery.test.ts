import { describe, expect, it } from 'vitest'
import { registry } from '../../../src/resources/index.ts'
import { allScopes } from '../../support/people.ts'
import { clientToken, get, mediaType, request, uniquePerson } from '../../support/service.ts'
import { issuer } from '../../support/signing-key.ts'
import { catalog, fetchPage, metadata } from './page.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('The protected resource metadata (RFC 9728)', () => {
  it('say whose tokens the service takes, where it is, and which scopes there are', async () => {
    const { status, headers, text } = await fetchPage(metadata)

    expect([status, headers['content-type']]).toEqual([200, 'application/json'])
    expect(JSON.parse(text)).toEqual({
      resource: 'https://api.example/jsonapi',
      resource_name: 'Users, Countries and Currencies',
      resource_documentation: 'https://api.example/jsonapi/docs',
      authorization_servers: [issuer],
      scopes_supported: allScopes.split(' '),
      bearer_methods_supported: ['header'],
    })
  })

  it.each([
    ['a missing token', 401, async () => undefined],
    ['a token that is none', 401, async () => 'nonsense'],
    ['a client where a person is needed', 403, () => clientToken()],
    ['a person without the scope', 403, async () => (await uniquePerson('users.read')).token],
  ])('are named to %s', async (_, status, token) => {
    const answer = await get('/users/1/relationships/citizenships', await token())

    expect(answer.status).toBe(status)
    expect(answer.headers['www-authenticate']).toContain(
      `resource_metadata="https://api.example${metadata}"`,
    )
  })
})

describe('The catalog of the host (RFC 9727)', () => {
  it('is a set of links to the service, to its description, documentation, metadata and state', async () => {
    const { status, headers, text } = await fetchPage(catalog)

    expect(status).toBe(200)
    expect(headers['content-type']).toBe(
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    )
    expect(headers['cache-control']).toBe('public, max-age=300')
    expect(JSON.parse(text)).toEqual({
      linkset: [
        {
          anchor: `https://api.example${catalog}`,
          item: [{ href: 'https://api.example/jsonapi' }],
        },
        {
          anchor: 'https://api.example/jsonapi',
          'service-desc': [{ href: 'https://api.example/jsonapi/oas', type: 'application/json' }],
          'service-doc': [{ href: 'https://api.example/jsonapi/docs', type: 'text/html' }],
          'service-meta': [{ href: `https://api.example${metadata}`, type: 'application/json' }],
          status: [{ href: 'https://api.example/health', type: 'application/json' }],
        },
      ],
    })
  })

  it('tells its own links in a header, so that HEAD is enough to find the service', async () => {
    const { status, headers, text } = await request('HEAD', catalog)

    expect([status, text]).toEqual([200, ''])
    expect(headers.link).toBe(
      `<${catalog}>; rel="api-catalog"; type="application/linkset+json", <https://api.example/jsonapi>; rel="item"`,
    )
  })
})

describe('GET /', () => {
  it.each([
    [200, mediaType, undefined],
    [302, browser, '/jsonapi/docs'],
  ])(
    'has links to the pages about the service in a %i, for Accept %s',
    async (status, accept, location) => {
      const answer = await fetchPage('/', { accept })

      expect([answer.status, answer.headers.location]).toEqual([status, location])
      expect(answer.headers.vary).toContain('Accept')
      expect(String(answer.headers.link).split(', ')).toEqual([
        '</jsonapi/oas>; rel="service-desc"; type="application/json"',
        '</jsonapi/docs>; rel="service-doc"; type="text/html"',
        `<${metadata}>; rel="service-meta"; type="application/json"`,
        '</health>; rel="status"; type="application/json"',
        `<${catalog}>; rel="api-catalog"; type="application/linkset+json"`,
      ])
    },
  )

  it('leads to the collections', async () => {
    const { status, headers, document } = await fetchPage('/', { accept: mediaType })

    expect([status, headers['content-type']]).toEqual([200, mediaType])
    expect(document.links).toEqual({ self: '/', describedby: '/jsonapi/oas' })
    expect(document.meta?.collections).toMatchObject(
      Object.fromEntries(registry.types.map((type) => [type, `/jsonapi/${type}`])),
    )
  })

  it('has the same answer at the root path, for browsers, too, and a 406 for whoever takes neither', async () => {
    const { document, headers } = await fetchPage('/', { accept: mediaType })
    const links = { self: '/jsonapi', describedby: '/jsonapi/oas' }
    for (const accept of [mediaType, browser]) {
      const answer = await fetchPage('/jsonapi', { accept })
      expect([answer.status, answer.headers.link]).toEqual([200, headers.link])
      expect(answer.document).toEqual({ ...document, links })
    }
    for (const path of ['/', '/jsonapi']) {
      expect((await fetchPage(path, { accept: 'image/png' })).status).toBe(406)
    }
  })
})
