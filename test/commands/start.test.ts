import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '../../scripts/start/authorization-server.ts'
import { demoPeople } from '../../scripts/start/demo-people.ts'
import { createSigningKey } from '../../scripts/start/keys.ts'
import {
  type Call,
  type Ended,
  makeCheckout,
  runCommand,
  runCommands,
} from '../support/checkout.ts'
import { freePort, freePorts, occupyPort } from '../support/ports.ts'

type Command = 'start' | 'issuer' | 'dev' | 'token' | 'reset'
const fileOf = (command: Command) => `scripts/start/${command}.ts`

/** Runs one of the commands of the checkout to its end, as npm would. */
function run(command: Command, env: Call['env'] = {}): Promise<Ended> {
  return runCommand(clone, fileOf(command), [], env)
}

/** Ports for both servers of `npm start`. */
async function twoPorts() {
  const [port, authPort] = await freePorts()
  return { PORT: String(port), AUTH_PORT: String(authPort) }
}

const oneLine = /^[^\n]+\n$/
const oneToken = /^[\w-]+\.[\w-]+\.[\w-]+\n$/

/** What wrangler may be doing when it builds. */
const builds = ['deploy', 'versions upload', 'types', '']

let clone: string
/** How the builds in the fresh checkout have ended, and what they have made there. */
let built: { readonly ended: readonly Ended[]; readonly made: readonly string[] }
let server: AuthorizationServer
let running: { AUTH_PORT: string }
beforeAll(async () => {
  clone = await makeCheckout()
  const calls = builds.map((WRANGLER_COMMAND) => ({
    file: fileOf('dev'),
    env: { WRANGLER_COMMAND },
  }))
  const ended = await runCommands(clone, calls)
  built = {
    ended,
    made: ['.dev.vars', '.wrangler'].filter((name) => existsSync(join(clone, name))),
  }
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
  const refused = [
    { args: ['--person', '9'], named: '"9"' },
    { args: ['--scope', 'users.read users.frobnicate'], named: 'users.frobnicate' },
    { args: ['--client', '--scope', 'users.read'], named: '--client' },
  ]
  let printed: Ended[]
  let complained: Ended[]
  let nobody: string
  beforeAll(async () => {
    nobody = String(await freePort())
    const all = [
      { args: ['--client'] },
      { args: ['--person', '3', '--scope', 'users.read users.write'] },
      {},
      { args: ['--client'], env: { AUTH_PORT: nobody } },
      { args: ['--person', '1', '--scope', 'users.read'], env: { AUTH_PORT: nobody } },
      ...refused,
    ]
    const calls = all.map((call) => ({ file: fileOf('token'), env: running, ...call }))
    const ended = await runCommands(clone, calls)
    printed = ended.slice(0, 3)
    complained = ended.slice(3)
  })

  it('prints a token and nothing else: of the machine, of the person and with the scopes named, or of the first person with every scope that reads', () => {
    const claims = printed.map(({ code, stdout, stderr }) => {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(oneToken)
      return decodeJwt(stdout)
    })
    expect(claims).toMatchObject([
      { sub: 'local-machine' },
      { sub: '3', scope: 'users.read users.write' },
      { sub: '1', scope: 'users.read users.sensitive.read users.citizenships.read' },
    ])
  })

  it('says in one line that the authorization server is not running, or what is wrong with its arguments', () => {
    const there = [`http://127.0.0.1:${nobody}`, 'npm start']
    const words = [there, there, ...refused.map(({ named }) => [named])]
    expect(complained).toHaveLength(words.length)
    for (const [index, { code, stdout, stderr }] of complained.entries()) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(oneLine)
      for (const word of words[index] ?? []) {
        expect(stderr).toContain(word)
      }
    }
  })
})

describe('npm start', () => {
  it.each(['PORT', 'AUTH_PORT'])('fails with one line when %s is taken', async (variable) => {
    const { server: other, port } = await occupyPort()
    const ports = { ...(await twoPorts()), [variable]: String(port) }
    const { code, stdout, stderr } = await run('start', ports)
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
      .replace('READ_ONLY = "false"', 'READ_ONLY = "no"')
    await writeFile(config, wrong)
    const { code, stdout, stderr } = await run('start', await twoPorts())
    await writeFile(config, text)

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      'Wrong variables in wrangler.toml or .dev.vars: READ_ONLY must be true or false, not "no"; RATE_LIMIT_BURST_CAPACITY must be a whole number from 1 to 999999999, not "abc".\n',
    )
  })
})

describe('The build of a deployment', () => {
  it('makes no key and no database', () => {
    expect(built).toEqual({
      ended: builds.map(() => ({ code: 0, stdout: '', stderr: '' })),
      made: [],
    })
  })
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

describe('a part of the clone is missing', () => {
  it.each([
    ['node_modules', 'node_modules is missing: run npm ci first\n'],
    ['migrations', 'migrations is missing: is the checkout complete?\n'],
  ])('npm start names it in one line: %s', async (name, stderr) => {
    const [path, elsewhere] = [join(clone, name), join(clone, `no-${name}`)]
    await rename(path, elsewhere)
    const ended = await run('start', await twoPorts())
    await rename(elsewhere, path)

    expect(ended).toEqual({ code: 1, stdout: '', stderr })
  })
})
