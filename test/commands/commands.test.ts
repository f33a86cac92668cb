import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '../../scripts/start/authorization-server.ts'
import { createSigningKey } from '../../scripts/start/keys.ts'
import { type Ended, makeCheckout, runCommand } from '../support/checkout.ts'
import { freePort, freePorts, occupyPort } from '../support/ports.ts'

const fileOf = (name: 'dev' | 'reset' | 'start' | 'token') => `scripts/start/${name}.ts`

let clone: string
let server: AuthorizationServer
beforeAll(async () => {
  clone = await makeCheckout()
  server = await startAuthorizationServer(
    0,
    'http://127.0.0.1:18080/jsonapi',
    await createSigningKey(),
  )
})
afterAll(async () => {
  await server.close()
  await rm(clone, { recursive: true })
})

/** Runs npm start in the clone to its end, on ports of its own unless one is given. */
async function start(ports: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const [port, authPort] = await freePorts()
  const env = { PORT: String(port), AUTH_PORT: String(authPort), ...ports }
  return runCommand(clone, fileOf('start'), [], env)
}

/** Runs npm run token in the clone. */
const token = (args: readonly string[], port = new URL(server.issuer).port) =>
  runCommand(clone, fileOf('token'), args, { AUTH_PORT: port })

describe('npm run token', () => {
  it.each([
    [['--client'], { sub: 'local-machine' }],
    [
      ['--person', '3', '--scope', 'users.read users.write'],
      { sub: '3', scope: 'users.read users.write' },
    ],
    [[], { sub: '1', scope: 'users.read users.sensitive.read users.citizenships.read' }],
  ])('%j prints a token and nothing else', async (args, claims) => {
    const { code, stdout, stderr } = await token(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    expect(decodeJwt(stdout)).toMatchObject(claims)
  })

  it('names a server that does not run, and one that is no authorization server', async () => {
    const nobody = String(await freePort())
    const other = createServer((_, response) => response.end('{"status":"ok"}'))
    const port = String(await freePort())
    await new Promise<void>((resolve) => other.listen(Number(port), '127.0.0.1', resolve))
    for (const [args, at, words] of [
      [['--client'], nobody, 'npm start'],
      [['--client'], port, 'is not the authorization'],
      [[], port, 'is not the authorization'],
    ] as const) {
      const { code, stdout, stderr } = await token(args, at)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(new RegExp(`^[^\\n]*http://127\\.0\\.0\\.1:${at}[^\\n]*\\n$`))
      expect(stderr).toContain(words)
    }
    other.close()
  })
})

it.each([
  [fileOf('token'), ['--frobnicate'], "Unknown option '--frobnicate': npm run token -- --help "],
  [fileOf('token'), ['--person', '9'], '"9"'],
  [fileOf('token'), ['--scope', 'users.frobnicate'], 'users.frobnicate'],
  ['test/fuzz/run.ts', ['--seed', 'abc'], '--seed must be a whole number, not "abc"'],
  ['test/bench/bench.ts', ['--only', 'zz'], '"zz"'],
  ['test/bench/bench.ts', ['--beside', 'nowhere.js'], 'nowhere.js'],
])('%s %j says in one line what is wrong', async (file, args, says) => {
  const env = { AUTH_PORT: new URL(server.issuer).port }
  const { code, stdout, stderr } = await runCommand(clone, file, args, env)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[^\n]+\n$/)
  expect(stderr).toContain(says)
})

it('The build of a deployment makes no key and no database', async () => {
  const built = await runCommand(clone, fileOf('dev'), [], { WRANGLER_COMMAND: 'deploy' })
  expect(built).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(['.dev.vars', '.wrangler'].filter((name) => existsSync(join(clone, name)))).toEqual([])
})

describe('npm start fails with one line', () => {
  it('when a port is taken', async () => {
    const { server: other, port } = await occupyPort()
    const failed = await start({ AUTH_PORT: String(port) })
    other.close()
    const stderr = `Port ${port} is taken: set AUTH_PORT to another.\n`
    expect(failed).toEqual({ code: 1, stdout: '', stderr })
  })

  it('that names a package that is missing', async () => {
    const lock = join(clone, 'package-lock.json')
    const text = await readFile(lock, 'utf8')
    await writeFile(lock, text.replace('"node_modules/hono"', '"node_modules/absent"'))
    const failed = await start()
    await writeFile(lock, text)
    const stderr = 'node_modules/absent is missing: run npm ci first\n'
    expect(failed).toEqual({ code: 1, stdout: '', stderr })
  })

  it('that names a file of a package that is missing', async () => {
    const file = join('scripts', 'start', 'incomplete.ts')
    await writeFile(join(clone, file), "import '../../node_modules/hono/absent.js'\n")
    const failed = await runCommand(clone, file)
    await rm(join(clone, file))
    const stderr = expect.stringMatching(
      /^A file is missing, run npm ci: [^\n]+absent\.js[^\n]+\n$/,
    )
    expect(failed).toEqual({ code: 1, stdout: '', stderr })
  })

  it('that says that node_modules are missing', async () => {
    const [path, elsewhere] = [join(clone, 'node_modules'), join(clone, 'no-modules')]
    await rename(path, elsewhere)
    const failed = await start()
    await rename(elsewhere, path)
    const stderr = 'node_modules is missing: run npm ci first\n'
    expect(failed).toEqual({ code: 1, stdout: '', stderr })
  })
})

it('npm run reset removes the local state', async () => {
  const state = join(clone, '.wrangler', 'state')
  await mkdir(state, { recursive: true })
  const { code, stderr } = await runCommand(clone, fileOf('reset'))
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(existsSync(state)).toBe(false)
})
