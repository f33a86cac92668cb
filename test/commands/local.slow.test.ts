import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  edit,
  launchIn,
  makeCheckout,
  runCommand,
  startFile,
  startIn,
} from '../support/checkout.ts'
import { freePorts } from '../support/ports.ts'

// One clone for all, since each start of wrangler takes seconds: its tests build on each other.
let folder: string
let ports: Awaited<ReturnType<typeof freePorts>>
let env: { PORT: string; AUTH_PORT: string }
let origin: string
let api: string
let issuer: string
beforeAll(async () => {
  folder = await makeCheckout()
  ports = await freePorts()
  env = { PORT: String(ports[0]), AUTH_PORT: String(ports[1]) }
  origin = `http://127.0.0.1:${env.PORT}`
  api = `${origin}/jsonapi`
  issuer = `http://127.0.0.1:${env.AUTH_PORT}`
})
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

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

it('Each command of the project explains itself with --help, and does nothing else', async () => {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const files = Object.values<string>(scripts).flatMap(
    (line) => /^node (?:--\S+ )*scripts\/run\.js ((?:scripts|test)\/\S+)$/.exec(line)?.[1] ?? [],
  )
  expect(files.length).toBeGreaterThan(10)
  for (const file of files) {
    const { code, stdout, stderr } = await runCommand(folder, file, ['--help'])
    expect({ file, code, stderr }).toEqual({ file, code: 0, stderr: '' })
    expect(stdout).toContain('--help   this text')
  }
  expect(globSync('{.dev.vars,.wrangler}', { cwd: folder })).toEqual([])
})

describe('npx wrangler dev in a fresh clone', () => {
  let dev: Awaited<ReturnType<typeof launchIn>>
  let options: readonly string[]
  beforeAll(async () => {
    options = [
      ...['--port', env.PORT],
      ...['--var', `AUTH_URL:${issuer}`, '--var', `TOKEN_ISSUER:${issuer}`],
      ...['--var', `TOKEN_AUDIENCE:${api}`, '--var', `JWKS_URL:${issuer}/jwks`],
    ]
    const wrangler = ['node_modules/wrangler/bin/wrangler.js', 'dev', ...options]
    dev = await launchIn(folder, wrangler, /^\[wrangler:info\] Ready on /)
  })
  afterAll(() => dev.stop())

  it('says that there is no authorization server, in its log and in its answers', async () => {
    expect(await get(`${origin}/health`)).toMatchObject({
      status: 503,
      document: { checks: { database: 'ok', limiter: 'ok', keys: 'failing' } },
    })
    const { status, document } = await get(`${api}/countries`, foreignToken())
    expect(status).toBe(500)
    expect(document.errors[0].detail).toMatch(/^The keys of the authorization server cannot be/)
    await vi.waitFor(() => expect(dev.said.join('\n')).toContain('key set cannot be fetched'))
  })

  it('is healthy beside npm run issuer, which prints the command with these ports, and answers on the demo data', async () => {
    const issuerFile = ['scripts/run.js', 'scripts/start/issuer.ts']
    const server = await launchIn(folder, issuerFile, /^Ctrl-C ends it/, env)
    await vi.waitFor(async () => expect((await get(`${origin}/health`)).status).toBe(200), 60_000)
    const token = await runCommand(folder, 'scripts/start/token.ts', [], env)
    const { status } = await get(`${api}/users/1`, token.stdout.trim())
    await server.stop()
    const printed = server.said.join('\n').replaceAll(' \\\n  ', ' ')
    expect(printed).toContain(`\nnpx wrangler dev ${options.join(' ')}\n`)
    const where = `PORT=${env.PORT} AUTH_PORT=${env.AUTH_PORT}`
    expect(printed).toContain(`\nFor a token: ${where} npm run -s token -- --help\n`)
    expect(status).toBe(200)
  })

  it('names what is missing in one line where the environment is not filled in', async () => {
    const env = { WRANGLER_COMMAND: 'dev' }
    const { stdout } = await runCommand(folder, 'scripts/start/dev.ts', ['--env', 'staging'], env)
    expect(stdout).toMatch(
      /^Every answer is an error for now\. .*\[env\.staging\.vars\].*AUTH_URL must/,
    )
    expect(stdout).toMatch(/^[^\n]+\n$/)
  })

  it('fails where another thing is wrong, such as a key ring that is lost', async () => {
    const env = { WRANGLER_COMMAND: 'dev' }
    for (const file of ['.dev.vars.staging', '.wrangler/dev/.dev.vars.staging.used']) {
      writeFileSync(join(folder, file), '')
    }
    const dev = await runCommand(folder, 'scripts/start/dev.ts', ['--env', 'staging'], env)
    expect(dev).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^\.dev\.vars\.staging has no CARD_KEYS any more/),
    })
  })
})

describe('npm start', () => {
  // Wrangler edits such texts where they are SQL.
  const subject = 'BEGIN TRANSACTION; COMMIT;'
  const name = 'Kari BEGIN TRANSACTION; Nordmann'
  let started: Awaited<ReturnType<typeof startIn>>
  let tokens: readonly string[]
  beforeAll(async () => {
    const [file = ''] = globSync('.wrangler/state/v3/d1/*/[0-9a-f]*.sqlite', { cwd: folder })
    const database = new DatabaseSync(join(folder, file))
    database.exec("DELETE FROM users WHERE id = '7'")
    database
      .prepare(
        "INSERT INTO users (id, owner, full_name, full_name_key, email, email_key) VALUES (?1, ?2, ?1, '', ?1, '')",
      )
      .run(name, subject)
    database.close()
    await edit(folder, 'wrangler.toml', (text) => `${text}\n# Changed.\n`)
    started = await startIn(folder, ports)
    tokens = started.said.join('\n').match(/(?<=Bearer )[\w-]+\.[\w-]+\.[\w-]+/g) ?? []
  })
  afterAll(() => started.stop())

  it('says what it is about to do before it does it, and nothing else before its banner, without colour', () => {
    const banner = started.said.findIndex((line) => line.startsWith('Service '))
    expect(started.said.slice(0, banner)).toEqual([
      'Bringing the database up to date; the first time takes some seconds',
      'Starting the authorization server',
      'Building and starting the service',
      '',
    ])
    expect(started.said.filter((line) => line.includes('\u001b'))).toEqual([])
  })

  it('prints addresses that open, each of them, and tokens that last an hour', async () => {
    const lines = started.said.flatMap((line) => {
      const [, url] = /(http:[^\s'"]+)/.exec(line) ?? []
      const [, authorization] = /'Authorization: ([^']+)'/.exec(line) ?? []
      return url === undefined ? [] : [{ url, authorization }]
    })
    expect(lines.length).toBeGreaterThanOrEqual(7)
    for (const { url, authorization } of lines) {
      const headers = authorization === undefined ? {} : { Authorization: authorization }
      expect({ url, status: (await fetch(url, { headers })).status }).toEqual({ url, status: 200 })
    }
    expect(tokens).toHaveLength(2)
    for (const { iat = 0, exp = 0 } of tokens.map((token) => decodeJwt(token))) {
      expect(exp - iat).toBe(3600)
    }
  })

  it('loads the demo data once: who was deleted does not come back when the configuration changes', async () => {
    expect((await get(`${api}/users/6`, tokens[1])).status).toBe(200)
    expect((await get(`${api}/users/7`, tokens[1])).status).toBe(404)
  })

  it.each([startFile, 'scripts/start/reset.ts'])(
    'makes others wait in the same folder, whatever their ports: %s',
    async (file) => {
      const others = (await freePorts()).map(String)
      const { code, stdout, stderr } = await runCommand(folder, file, [], {
        PORT: String(others[0]),
        AUTH_PORT: String(others[1]),
      })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(
        /^npm start is running in this folder \(process \d+\): end it first, with Ctrl-C where it runs\.\n$/,
      )
      expect((await get(`${origin}/health`)).status).toBe(200)
    },
  )

  it('lets npm run person erase a person', async () => {
    const args = ['--subject', subject, '--erase']
    const refused = await runCommand(folder, 'scripts/operate/person.ts', args)
    expect(refused.stderr).toMatch(/ Rows: 1 in users\. Say --yes if that is meant\./)
    args.push('--yes')
    expect(await runCommand(folder, 'scripts/operate/person.ts', args)).toMatchObject({
      code: 0,
      stdout: `Erased what the local database holds of ${subject}. Rows: 1 in users.\n`,
    })
    expect((await get(`${api}/users/${encodeURIComponent(name)}`, tokens[1])).status).toBe(404)
    expect((await get(`${origin}/health`)).status).toBe(200)
  })
})
