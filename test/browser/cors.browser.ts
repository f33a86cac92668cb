import { createServer, type Server } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { clientToken, personToken } from '../../scripts/start/oauth.ts'
import { freePort } from '../support/ports.ts'
import { openBrowser } from './visitor.ts'

/** A request as a script on a page sends it. */
interface Call {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const mediaType = 'application/vnd.api+json'
const readable = [
  'X-RateLimit-Burst-Capacity',
  'X-RateLimit-Remaining',
  'X-RateLimit-Replenish-Rate',
  'X-RateLimit-Requested-Tokens',
  'X-Request-Id',
]

let browser: Browser
const servers: Server[] = []
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  for (const server of servers) {
    server.close()
  }
})

/** An empty page of another origin. */
async function pageOf(origin: string): Promise<Page> {
  const server = createServer((_, response) =>
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Other</title>'),
  )
  server.listen(Number(new URL(origin).port), '127.0.0.1')
  servers.push(server)
  const page = await browser.newPage()
  await page.goto(origin)
  return page
}

/** Has a script of the page call the service: the status and the headers it can read, or why it cannot. */
function call(page: Page, { path, ...request }: Call) {
  const url = `${inject('service')}/jsonapi${path}`
  return page.evaluate(
    async ([url, request]) => {
      try {
        const response = await fetch(url, request)
        return { status: response.status, headers: Object.fromEntries(response.headers) }
      } catch (error) {
        return { refused: String(error) }
      }
    },
    [url, request] as const,
  )
}

describe('A page of an origin that is configured', () => {
  let page: Page
  beforeAll(async () => {
    page = await pageOf(inject('friend'))
  })

  it('can read, and sees the headers of the limiter, the tag and the request id', async () => {
    const token = await clientToken(inject('issuer'))
    const headers = { Authorization: `Bearer ${token}`, Accept: mediaType }
    const answer = await call(page, { method: 'GET', path: '/countries', headers })

    expect(answer.status).toBe(200)
    for (const name of [...readable, 'ETag']) {
      expect(Object.keys(answer.headers ?? {})).toContain(name.toLowerCase())
    }
  })

  it('can write after a preflight, and sees the location of the new user', async () => {
    const token = await personToken(inject('issuer'), '3', 'users.write')
    const attributes = { fullName: 'From Afar', email: 'from.afar@example.com' }
    const answer = await call(page, {
      method: 'POST',
      path: '/users',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': mediaType },
      body: JSON.stringify({ data: { type: 'users', attributes } }),
    })

    expect(answer.status).toBe(201)
    expect(answer.headers?.location).toMatch(/^\/jsonapi\/users\//)
  })

  it('can read why a request is refused', async () => {
    const answer = await call(page, { method: 'GET', path: '/users', headers: {} })

    expect(answer.status).toBe(401)
    expect(answer.headers?.['www-authenticate']).toContain('resource_metadata')
  })
})

describe('A page of any other origin', () => {
  it('can read no answer', async () => {
    const page = await pageOf(`http://127.0.0.1:${await freePort()}`)
    const token = await clientToken(inject('issuer'))
    const headers = { Authorization: `Bearer ${token}` }

    expect(await call(page, { method: 'GET', path: '/countries', headers })).toEqual({
      refused: 'TypeError: Failed to fetch',
    })
    expect(await call(page, { method: 'GET', path: '/countries', headers: {} })).toEqual({
      refused: 'TypeError: Failed to fetch',
    })
  })
})
