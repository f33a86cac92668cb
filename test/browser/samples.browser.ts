import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { requestOf } from '../../public/docs/request.js'
import { languages } from '../../public/docs/samples.js'
import { readScopes } from '../../scripts/lib/config.ts'
import { personToken } from '../../scripts/start/oauth.ts'
import { type Language, openBrowser, openDocumentation, operationOf, sampleOf } from './visitor.ts'

const run = promisify(execFile)

/** How a sample is run, as a reader would run it. */
const commands: Readonly<Record<Language, readonly [string, ...string[]]>> = {
  curl: ['sh', '-c'],
  javascript: [process.execPath, '--input-type=module', '--eval'],
  python: ['python3', '-c'],
}

/** A request as it has arrived. */
interface Arrived {
  readonly method: string | undefined
  readonly url: string
  readonly authorization: string | undefined
  readonly type: string | undefined
  readonly key: string | string[] | undefined
  readonly match: string | undefined
  readonly body: unknown
}

/** Only a create and a transaction take an `Idempotency-Key` (contract, section 12). */
function takesKey(path: string, method: string): boolean {
  return method === 'post' && ['/users', '/operations'].includes(path)
}

/** What a sample prints. */
async function output(language: Language, sample: string, token: string): Promise<string> {
  const [command, ...args] = commands[language]
  const env = { ...process.env, TOKEN: token }
  return (await run(command, [...args, sample], { env })).stdout
}

describe('The code samples of the documentation page (contract, section 19)', () => {
  const arrived: Arrived[] = []
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    let text = ''
    for await (const part of request) {
      text += part
    }
    const { authorization, 'content-type': sent, 'idempotency-key': key } = headers
    const match = headers['if-match']
    const body = text === '' ? undefined : JSON.parse(text)
    arrived.push({ method, url, authorization, type: body && sent, key, match, body })
    response.end('{}')
  })
  let browser: Browser
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    ;[browser] = await Promise.all([openBrowser(), once(server, 'listening')])
  })
  afterAll(async () => {
    server.close()
    await browser.close()
  })

  /** The description of the service, and where requests arrive. */
  async function described() {
    const response = await fetch(`${inject('service')}/jsonapi/oas`)
    const description = (await response.json()) as Parameters<typeof requestOf>[0]
    const { port } = server.address() as AddressInfo
    return { description, origin: `http://127.0.0.1:${port}` }
  }

  it('send the documented request of each operation, in every language', async () => {
    const { description, origin } = await described()
    const operations = Object.entries(description.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => method !== 'parameters')
        .map((method) => ({ path, method })),
    )

    expect(operations).toHaveLength(24)
    for (const { path, method } of operations) {
      for (const language of Object.keys(languages) as Language[]) {
        const request = requestOf(description, origin, path, method, language)
        const { url, headers, body } = request
        await output(language, languages[language].write(request), 'the-token')
        expect([language, arrived.at(-1)]).toEqual([
          language,
          {
            method: method.toUpperCase(),
            url: url.slice(origin.length),
            authorization: 'Bearer the-token',
            type: headers['Content-Type'],
            key: takesKey(path, method) ? expect.stringMatching(/^[\da-f-]{36}$/) : undefined,
            match: undefined,
            body,
          },
        ])
      }
    }
    expect(arrived).toHaveLength(24 * 3)
    const keys = arrived.flatMap(({ key }) => key ?? [])
    expect(new Set(keys).size).toBe(2 * 3)
  })

  it('send what is filled in, quotes and all', async () => {
    const { description, origin } = await described()
    const value = String.raw`O'Neill "$HOME" \n`
    const tag = String.raw`"it's \"`
    const parameters = { 'query.filter[id]': value, 'header.If-Match': tag }
    for (const language of Object.keys(languages) as Language[]) {
      const form = { parameters, body: undefined }
      const request = requestOf(description, origin, '/users', 'get', language, form)
      await output(language, languages[language].write(request), 'the-token')
      const { url = '', match } = arrived.at(-1) ?? {}
      expect([language, Object.fromEntries(new URL(url, origin).searchParams), match]).toEqual([
        language,
        { 'filter[id]': value },
        tag,
      ])
    }
  })

  it('make one user and no more when the command is run again, and show a replay', async () => {
    const { page } = await openDocumentation(browser)
    const token = await personToken(inject('issuer'), '4', 'users.write')
    const operation = operationOf(page, 'Create one user')
    await operation.locator('.opblock-summary-control').click()
    const sample = (await sampleOf(operation)).replace('curl ', 'curl -si ')
    const [first, second] = [
      await output('curl', sample, token),
      await output('curl', sample, token),
    ]
    const locationOf = (answer: string) => /^location: (.+)$/im.exec(answer)?.[1]

    expect(first).toMatch(/^HTTP\/\S+ 201/)
    expect(first).not.toMatch(/^idempotency-replayed/im)
    expect(second).toMatch(/^HTTP\/\S+ 201/)
    expect(second).toMatch(/^idempotency-replayed: true/im)
    expect(locationOf(second)).toBe(locationOf(first))
  })

  it('run as they stand on the page, with a token, say where it comes from, and show an error without one', async () => {
    const { page } = await openDocumentation(browser)
    const token = await personToken(inject('issuer'), '1', readScopes)
    const operation = operationOf(page, 'Read one user')
    await operation.locator('.opblock-summary-control').click()

    for (const language of Object.keys(languages) as Language[]) {
      const sample = await sampleOf(operation, language)
      expect(sample).toContain(`from ${inject('issuer')}/token`)
      expect(sample).toContain('export TOKEN=$(npm run -s token)')
      expect(await output(language, sample, token)).toContain('"fullName":"John')
      expect(await output(language, sample, 'none')).toMatch(/"errors":.*"UNAUTHORIZED"/)
    }
  })

  it('keep the language that was chosen for the next operation that opens', async () => {
    const { page } = await openDocumentation(browser)
    await operationOf(page, 'Read one user').locator('.opblock-summary-control').click()
    await page.getByRole('tab', { name: 'curl' }).focus()
    await page.keyboard.press('ArrowLeft')
    const next = operationOf(page, 'List countries')
    await next.locator('.opblock-summary-control').click()

    expect(await next.getByRole('tab', { selected: true }).first().textContent()).toBe('Python')
    expect(await next.locator('.samples pre').textContent()).toContain('urlopen')
  })
})
