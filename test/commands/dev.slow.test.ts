import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { launchIn, makeCheckout, runCommand } from '../support/checkout.ts'
import { freePorts } from '../support/ports.ts'

const wrangler = ['node_modules/wrangler/bin/wrangler.js', 'dev']
const ready = /^\[wrangler:info\] Ready on /

let folder: string
let api: string
let origin: string
let issuer: string
let ports: { PORT: string; AUTH_PORT: string }
/** The usual ports may be taken on this machine. */
let atPort: readonly string[]
let variables: readonly string[]
beforeAll(async () => {
  folder = await makeCheckout()
  const [port, authPort] = (await freePorts()).map(String) as [string, string]
  ports = { PORT: port, AUTH_PORT: authPort }
  origin = `http://127.0.0.1:${port}`
  api = `${origin}/jsonapi`
  issuer = `http://127.0.0.1:${authPort}`
  atPort = ['--port', port]
  variables = [
    ...['--var', `AUTH_URL:${issuer}`, '--var', `TOKEN_ISSUER:${issuer}`],
    ...['--var', `TOKEN_AUDIENCE:${api}`, '--var', `JWKS_URL:${issuer}/jwks`],
  ]
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

async function edit(file: string, changed: (text: string) => string): Promise<void> {
  const path = join(folder, file)
  await writeFile(path, changed(await readFile(path, 'utf8')))
}

/** The status of an answer, and its document. */
async function get(
  url: string,
  token?: string,
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into documents they know
): Promise<{ status: number; document: any }> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  const response = await fetch(url, { headers })
  return { status: response.status, document: await response.json() }
}

/** A token that somebody else has made. */
function foreignToken(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: issuer, aud: api, sub: '1', client_id: 'x', jti: 'x', iat: 1, exp: 4e9 }
  const head = { alg: 'ES256', typ: 'at+jwt', kid: 'x' }
  return [part(head), part(claims), 'A'.repeat(86)].join('.')
}

describe('npx wrangler dev in a fresh clone', () => {
  let dev: Awaited<ReturnType<typeof launchIn>>
  beforeAll(async () => {
    const env = { JWKS_URL: `${issuer}/jwks` }
    dev = await launchIn(folder, [...wrangler, ...atPort, ...variables], ready, env)
  })
  afterAll(() => dev.stop())

  it('serves the docs page and the interface description by itself', async () => {
    expect(await (await fetch(`${api}/docs`)).text()).toContain('<!doctype html>')
    expect((await get(`${api}/oas`)).document).toMatchObject({ servers: [{ url: api }] })
  })

  it('says that there is no authorization server, in its log and in its answers', async () => {
    expect(dev.said.filter((line) => line.includes('npm run issuer'))).toEqual([
      expect.stringContaining(
        `No authorization server answers at ${issuer}: start one with npm run issuer.`,
      ),
    ])
    expect(await get(`${origin}/health`)).toMatchObject({
      status: 503,
      document: { checks: { database: 'ok', limiter: 'ok', keys: 'failing' } },
    })
    const refused = await get(`${api}/countries`, foreignToken())
    expect(refused).toMatchObject({
      status: 500,
      document: {
        errors: [
          {
            detail:
              'The keys of the authorization server cannot be fetched at the moment, so that no token can be checked.',
          },
        ],
      },
    })
    const told = 'key set cannot be fetched'
    await vi.waitFor(() => expect(dev.said.join('\n')).toContain(told))
  })

  it('is healthy beside npm run issuer, which prints the command with these ports, and answers every operation on the demo data', async () => {
    const issuerFile = ['scripts/run.js', 'scripts/start/issuer.ts']
    const server = await launchIn(folder, issuerFile, /^Ctrl-C ends it/, ports)
    await vi.waitFor(async () => expect((await get(`${origin}/health`)).status).toBe(200), 60_000)
    const tour = await runCommand(folder, 'scripts/start/tour.ts', [], ports)
    await server.stop()
    const printed = server.said.join('\n').replaceAll(' \\\n  ', ' ')
    expect(printed).toContain(
      `\nJWKS_URL=${issuer}/jwks npx wrangler dev ${[...atPort, ...variables].join(' ')}\n`,
    )
    expect(tour).toMatchObject({ code: 0, stderr: '' })
    expect(tour.stdout).toMatch(/\n(\d+) of \1 operations answer as promised\.\n$/)
  })

  it('serves an edit of src', async () => {
    await edit('src/resources/index.ts', (text) =>
      text.replace("title: 'Users, Countries and Currencies'", "title: 'Edited'"),
    )
    await vi.waitFor(
      async () => expect((await get(`${api}/oas`)).document.info.title).toBe('Edited'),
      { timeout: 60_000, interval: 500 },
    )
    // What is there is not prepared again.
    expect(dev.said.filter((line) => line.includes('Bringing the database'))).toHaveLength(1)
  })
})

describe('npx wrangler dev --env staging', () => {
  it('names what is missing in one line', async () => {
    const dev = await launchIn(folder, [...wrangler, ...atPort, '--env', 'staging'], ready)
    const told = dev.said.filter((line) => line.includes('AUTH_URL must be'))
    expect(told).toEqual([
      expect.stringContaining(
        'Wrong variables in wrangler.toml ([env.staging.vars]) or .dev.vars: AUTH_URL must be an http or https URL, not ""; TOKEN_ISSUER must be the iss of the access tokens, not ""; TOKEN_AUDIENCE must be the aud of the access tokens, not ""; JWKS_URL must be an http or https URL, not "".',
      ),
    ])
    expect((await get(`${api}/oas`)).status).toBe(500)
    await dev.stop()
  })
})
