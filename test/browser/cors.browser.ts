import { createServer, type Server } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
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

it('A page of an origin that is configured reads, writes after a preflight, and sees the headers', async () => {
  const page = await pageOf(inject('friend'))
  const machine = await clientToken(inject('issuer'))
  const read = await call(page, {
    method: 'GET',
    path: '/countries',
    headers: { Authorization: `Bearer ${machine}`, Accept: mediaType },
  })
  expect(read.status).toBe(200)
  expect(Object.keys(read.headers ?? {})).toEqual(
    expect.arrayContaining(['etag', 'x-ratelimit-remaining', 'x-request-id']),
  )

  const person = await personToken(inject('issuer'), '3', 'users.write')
  const attributes = { fullName: 'From Afar', email: 'from.afar@example.com' }
  const written = await call(page, {
    method: 'POST',
    path: '/users',
    headers: { Authorization: `Bearer ${person}`, 'Content-Type': mediaType },
    body: JSON.stringify({ data: { type: 'users', attributes } }),
  })
  expect(written.status).toBe(201)
  expect(written.headers?.location).toMatch(/^\/jsonapi\/users\//)
})

it('A page of any other origin can read no answer', async () => {
  const page = await pageOf(`http://127.0.0.1:${await freePort()}`)
  const headers = { Authorization: `Bearer ${await clientToken(inject('issuer'))}` }
  expect(await call(page, { method: 'GET', path: '/countries', headers })).toEqual({
    refused: 'TypeError: Failed to fetch',
  })
})
