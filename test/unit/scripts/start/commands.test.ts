import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../../../scripts/lib/config.ts'
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '../../../../scripts/start/authorization-server.ts'
import { demoPeople } from '../../../../scripts/start/demo.ts'
import { createSigningKey } from '../../../../scripts/start/keys.ts'
import { type Ended, makeCheckout, runCommand } from '../../../support/checkout.ts'
import { freePort, freePorts, occupyPort } from '../../../support/ports.ts'

/** Runs one of the commands of a checkout to its end, as npm would. */
function run(
  command: 'start' | 'issuer' | 'dev' | 'token' | 'reset',
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  folder = clone,
): Promise<Ended> {
  return runCommand(folder, `scripts/start/${command}.ts`, args, env)
}

/** Ports for both servers of `npm start`. */
async function twoPorts() {
  const [port, authPort] = await freePorts()
  return { PORT: String(port), AUTH_PORT: String(authPort) }
}

const oneLine = /^[^\n]+\n$/
const oneToken = /^[\w-]+\.[\w-]+\.[\w-]+\n$/

let clone: string
let server: AuthorizationServer
let running: { AUTH_PORT: string }
beforeAll(async () => {
  clone = await makeCheckout()
  server = await startAuthorizationServer({
    port: 0,
    audience: 'http://127.0.0.1:18080/jsonapi',
    people: demoPeople,
    signingKey: await createSigningKey(),
  })
  running = { AUTH_PORT: new URL(server.issuer).port }
})
afterAll(async () => {
  await server.close()
  await rm(clone, { recursive: true })
})

describe('npm run token', () => {
  it('prints a client-credentials token, and nothing else', async () => {
    const { code, stdout, stderr } = await run('token', ['--client'], running)

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(oneToken)
    expect(decodeJwt(stdout)).toMatchObject({ sub: 'local-machine' })
  })

  it('prints a token of the person and with the scopes named, and nothing else', async () => {
    const args = ['--person', '3', '--scope', 'users.read users.write']
    const { code, stdout, stderr } = await run('token', args, running)

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(oneToken)
    expect(decodeJwt(stdout)).toMatchObject({ sub: '3', scope: 'users.read users.write' })
  })

  it('takes the first person and every scope that reads, unless told otherwise', async () => {
    const { stdout } = await run('token', [], running)

    expect(decodeJwt(stdout)).toMatchObject({
      sub: '1',
      scope: 'users.read users.sensitive.read users.citizenships.read',
    })
  })

  it.each([[['--client']], [['--person', '1', '--scope', 'users.read']]])(
    'fails with one line when the authorization server is not running: %j',
    async (args) => {
      const AUTH_PORT = String(await freePort())
      const { code, stdout, stderr } = await run('token', args, { AUTH_PORT })

      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(oneLine)
      expect(stderr).toContain(`http://127.0.0.1:${AUTH_PORT}`)
      expect(stderr).toContain('npm start')
    },
  )

  it.each([
    { args: ['--person', '9'], named: '"9"' },
    { args: ['--scope', 'users.read users.frobnicate'], named: 'users.frobnicate' },
    { args: ['--client', '--scope', 'users.read'], named: '--client' },
  ])('refuses $args with one line that names the fault', async ({ args, named }) => {
    const { code, stdout, stderr } = await run('token', args, running)

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(oneLine)
    expect(stderr).toContain(named)
  })
})

describe('npm start', () => {
  it.each(['PORT', 'AUTH_PORT'])('fails with one line when %s is taken', async (variable) => {
    const { server: other, port } = await occupyPort()
    const ports = { ...(await twoPorts()), [variable]: String(port) }
    const { code, stdout, stderr } = await run('start', [], ports)
    other.close()

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(oneLine)
    expect(stderr).toContain(String(port))
    expect(stderr).toContain(variable)
  })

  it('fails with one line that tells of every wrong variable what it holds and what is allowed', async () => {
    const config = join(clone, 'wrangler.toml')
    const text = await readFile(config, 'utf8')
    const wrong = text
      .replace('BURST_CAPACITY = "100"', 'BURST_CAPACITY = "abc"')
      .replace('LOG_ROWS = "true"', 'LOG_ROWS = "yes"')
    await writeFile(config, wrong)
    const { code, stdout, stderr } = await run('start', [], await twoPorts())
    await writeFile(config, text)

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      'Wrong variables in wrangler.toml or .dev.vars: LOG_ROWS must be true or false, not "yes"; RATE_LIMIT_BURST_CAPACITY must be an integer from 1 to 2147483647, not "abc".\n',
    )
  })

  it('fails with one line that names the place where wrangler.toml is no TOML', async () => {
    const config = join(clone, 'wrangler.toml')
    const text = await readFile(config, 'utf8')
    await writeFile(config, text.replace('BURST_CAPACITY = "100"', 'BURST_CAPACITY = abc'))
    const { code, stdout, stderr } = await run('start', [], await twoPorts())
    await writeFile(config, text)

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^wrangler\.toml:\d+ cannot be read: [^\n]*invalid value\.\n$/)
  })
})

describe('npm run issuer', () => {
  it('fails with one line when AUTH_PORT is taken', async () => {
    const { code, stdout, stderr } = await run('issuer', [], running)

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(`Port ${running.AUTH_PORT} is taken: set AUTH_PORT to another.\n`)
  })
})

describe('The build of a deployment', () => {
  it.each(['deploy', 'versions upload', 'types', ''])(
    'makes no key and no database: %j',
    async (WRANGLER_COMMAND) => {
      const folder = await makeCheckout()
      const ended = await run('dev', [], { WRANGLER_COMMAND }, folder)
      const made = ['.dev.vars', '.wrangler'].filter((name) => existsSync(join(folder, name)))
      await rm(folder, { recursive: true })

      expect(ended).toEqual({ code: 0, stdout: '', stderr: '' })
      expect(made).toEqual([])
    },
  )
})

describe('npm run reset', () => {
  it('removes the local state', async () => {
    const state = join(clone, '.wrangler', 'state')
    await mkdir(state, { recursive: true })
    const { code, stderr } = await run('reset')

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(existsSync(state)).toBe(false)
  })
})

describe('a fresh clone, without node_modules', () => {
  let folder: string
  beforeEach(async () => {
    folder = await makeCheckout(false)
  })
  afterEach(() => rm(folder, { recursive: true }))

  it.each(['start', 'issuer', 'token', 'reset'] as const)(
    'npm run %s says in one line that packages are missing, and the remedy',
    async (command) => {
      const { code, stdout, stderr } = await run(command, [], await twoPorts(), folder)

      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toBe('node_modules is missing: run npm ci first\n')
    },
  )
})

describe('a part of the clone is missing', () => {
  it('npm start names it in one line', async () => {
    const folder = await makeCheckout()
    await rm(join(folder, 'migrations'), { recursive: true })
    const { code, stdout, stderr } = await run('start', [], await twoPorts(), folder)
    await rm(folder, { recursive: true })

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('migrations is missing: is the checkout complete?\n')
  })
})

describe('the configuration of the local service', () => {
  it('is 127.0.0.1, the Worker on 8787 and the authorization server on 9400, unless told otherwise', () => {
    expect(readConfig({})).toEqual({
      port: 8787,
      authPort: 9400,
      origin: 'http://127.0.0.1:8787',
      issuer: 'http://127.0.0.1:9400',
    })
  })

  it('follows PORT and AUTH_PORT', () => {
    expect(readConfig({ PORT: '1234', AUTH_PORT: '4321' })).toEqual({
      port: 1234,
      authPort: 4321,
      origin: 'http://127.0.0.1:1234',
      issuer: 'http://127.0.0.1:4321',
    })
  })

  it.each(['0', '65536', '-1', '8787.5', 'http'])('takes no port %s', (PORT) => {
    expect(() => readConfig({ PORT })).toThrow(PORT)
  })

  it('has two ports that differ', () => {
    expect(() => readConfig({ PORT: '9400', AUTH_PORT: '9400' })).toThrow('must differ')
  })
})
