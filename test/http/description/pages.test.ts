import { describe, expect, it } from 'vitest'
import { description } from '../../../src/description.ts'
import { configuredService, request } from '../../support/service.ts'
import { audience, issuer } from '../../support/signing-key.ts'
import { catalog, fetchPage, metadata } from './page.ts'

describe('GET /jsonapi/oas', () => {
  it.each([
    ['', '3.0', '3.0.1'],
    ['?version=3.1', '3.1', '3.1.0'],
  ] as const)('%s is the description in OpenAPI %s', async (query, version, openapi) => {
    const { status, headers, text } = await fetchPage(`/jsonapi/oas${query}`)
    const built = description({ server: audience, authUrl: issuer }, version, false)
    expect(built.openapi).toBe(openapi)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/json')
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(built)))
  })

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

  it('is not sent again to a client that has it: each version has a tag of its own', async () => {
    const tags = new Set<unknown>()
    for (const path of ['/jsonapi/oas', '/jsonapi/oas?version=3.1']) {
      const { headers } = await fetchPage(path)
      const again = await fetchPage(path, { 'if-none-match': String(headers.etag) })
      tags.add(headers.etag)

      expect([again.status, again.text]).toEqual([304, ''])
      expect(again.headers.etag).toBe(headers.etag)
      expect(again.headers['cache-control']).toBe('public, max-age=300')
    }

    expect(tags.size).toBe(2)
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
