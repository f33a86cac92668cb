import { describe, expect, it } from 'vitest'
import { description } from '../../../src/description.ts'
import { registry } from '../../../src/resources/index.ts'
import { allScopes } from '../../support/people.ts'
import {
  clientToken,
  configuredService,
  get,
  mediaType,
  request,
  uniquePerson,
} from '../../support/service.ts'
import { audience, issuer } from '../../support/signing-key.ts'

/** Where the protected resource metadata are, and the catalog of the host. */
const metadata = '/.well-known/oauth-protected-resource/jsonapi'
const catalog = '/.well-known/api-catalog'
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** GET without a token. */
function fetchPage(path: string, headers: Readonly<Record<string, string>> = {}) {
  return request('GET', path, { headers: { accept: '*/*', ...headers } })
}

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

  it('are named in each challenge, which names no error where no token was sent', async () => {
    const { token } = await uniquePerson('users.read')
    for (const sent of [undefined, 'nonsense', await clientToken(), token]) {
      const { headers } = await get('/users/1/relationships/citizenships', sent)
      const challenge = headers['www-authenticate'] ?? ''
      expect(challenge).toMatch(/^Bearer /)
      expect(challenge).toContain(`resource_metadata="https://api.example${metadata}"`)
      expect(challenge.includes('error')).toBe(sent !== undefined)
    }
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

  it('leads to the collections, has the same answer at the root path, for browsers, too, and a 406 for whoever takes neither', async () => {
    const { document, headers } = await fetchPage('/', { accept: mediaType })
    expect(headers['content-type']).toBe(mediaType)
    expect(document.links).toEqual({ self: '/', describedby: '/jsonapi/oas' })
    expect(document.meta?.collections).toMatchObject(
      Object.fromEntries(registry.types.map((type) => [type, `/jsonapi/${type}`])),
    )
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

describe('GET /jsonapi/oas', () => {
  it.each([
    ['', '3.0', '3.0.1'],
    ['?version=3.1', '3.1', '3.1.0'],
  ] as const)(
    '%s is the description in OpenAPI %s, which is not sent again to a client that has it',
    async (query, version, openapi) => {
      const { status, headers, text } = await fetchPage(`/jsonapi/oas${query}`)
      const built = description({ server: audience, authUrl: issuer }, version, false)
      expect(built.openapi).toBe(openapi)
      expect(status).toBe(200)
      expect(headers['content-type']).toBe('application/json')
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(built)))
      const tag = String(headers.etag)
      const again = await fetchPage(`/jsonapi/oas${query}`, { 'if-none-match': tag })
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', tag])
      expect(again.headers['cache-control']).toBe('public, max-age=300')
      const other = query === '' ? '?version=3.1' : ''
      const { status: of } = await fetchPage(`/jsonapi/oas${other}`, { 'if-none-match': tag })
      expect(of).toBe(200)
    },
  )

  it('names bookmarks where the database is replicated, and only there', async () => {
    const { origin } = await configuredService()
    const replicated = await request('GET', '/jsonapi/oas', { origin })
    const built = description({ server: audience, authUrl: issuer })

    expect(JSON.parse(replicated.text)).toEqual(JSON.parse(JSON.stringify(built)))
    expect(replicated.text).toContain('X-D1-Bookmark')
    expect((await fetchPage('/jsonapi/oas')).text).not.toContain('X-D1-Bookmark')
  })

  it('has no other version, and names those that exist', async () => {
    const { faults, document } = await fetchPage('/jsonapi/oas?version=3.2')

    expect(faults).toEqual(['400 INVALID_ENUM_VALUE parameter version'])
    expect(document.errors?.[0]?.detail).toContain('3.0, 3.1')
  })
})

describe('GET /jsonapi/docs', () => {
  it('is a page with a strict policy that lets it talk to the service and the authorization server', async () => {
    const { status, headers, text } = await fetchPage('/%6asonapi/docs')
    const policy = String(headers['content-security-policy'])

    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
    expect(policy).toContain(`connect-src 'self' ${issuer};`)
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/https?:/)
  })

  it('loads nothing but files of the service', async () => {
    const { text } = await fetchPage('/jsonapi/docs')
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file)

    expect(files.length).toBeGreaterThan(3)
    for (const file of files) {
      const { status, headers } = await fetchPage(`/jsonapi/${file}`)
      expect([file, status]).toEqual([file, 200])
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
  })

  it('comes with the guides and the contract, whose links lead to pages and places that are there', async () => {
    const start = new URL('https://docs.example/jsonapi/docs/guides/index.html')
    const texts = new Map<string, string>()
    const links = [start]
    for (const { pathname, hash } of links) {
      const isNew = !texts.has(pathname)
      const { status, text } = isNew
        ? await fetchPage(pathname)
        : { status: 200, text: texts.get(pathname) ?? '' }
      texts.set(pathname, text)
      expect([pathname, status]).toEqual([pathname, 200])
      if (hash !== '') {
        expect(text).toContain(`id="${hash.slice(1)}"`)
      }
      const found = [...text.matchAll(/<a href="([^"]+)"/g)].map(
        ([, link]) => new URL(link ?? '', start.origin + pathname),
      )
      links.push(...(isNew ? found.filter(({ origin }) => origin === start.origin) : []))
    }

    expect([...texts.keys()]).toContain('/jsonapi/docs/guides/contract.html')
    expect(texts.size).toBeGreaterThan(8)
  })

  it.each(['/jsonapi/docs/', '/jsonapi/docs/index.html'])('is where %s leads', async (path) => {
    expect((await fetchPage(path)).headers.location).toBe('/jsonapi/docs')
  })

  it.each([
    ...['/docs', '/docs/index.html', '/index.html', '/oas.3.0.json', '/oas.3.1.json'],
    ...['/jsonapi/docs/nothing', '/jsonapi/docs/../oas.3.0.json', '/%6asonapi/docs/x'],
    ...['/jsonapi/docs/%2e%2e/oas.3.0.json', '/jsonapi/docs/%5C..%5C..%5Coas.3.0.json'],
    ...['/jsonapi/docs/.%09./oas.3.0.json', '/jsonapi/docs/%'],
  ])('keeps to its own path: %s is not found', async (path) => {
    const { status, document } = await fetchPage(path)

    expect([status, document.errors?.[0]?.code]).toEqual([404, 'NOT_FOUND'])
  })
})

it.each([
  ...['/', '/jsonapi', '/jsonapi/oas', '/jsonapi/docs', '/jsonapi/docs/docs.js', '/health'],
  ...[metadata, catalog],
])('The page %s takes GET, HEAD and OPTIONS, and costs nothing', async (path) => {
  const page = await fetchPage(path)
  expect(Object.keys(page.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
  expect(page.headers['x-request-id']).toBeTruthy()
  const head = await request('HEAD', path, { headers: { accept: '*/*' } })
  expect([head.status, head.text]).toEqual([page.status, ''])
  expect(head.headers['content-type']).toBe(page.headers['content-type'])
  expect(head.headers['content-length']).toBe(String(Buffer.byteLength(page.text)))
  const allow = 'GET, HEAD, OPTIONS'
  const options = await request('OPTIONS', path)
  expect([options.status, options.headers.allow, options.text]).toEqual([204, allow, ''])
  const { status, headers, document } = await request('POST', path)
  expect([status, headers.allow]).toEqual([405, allow])
  expect(document.errors?.[0]?.code).toBe('METHOD_NOT_SUPPORTED')
})
