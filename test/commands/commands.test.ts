import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Ended, makeCheckout, runCommand } from '../support/checkout.ts'
import { freePorts, occupyPort } from '../support/ports.ts'

const fileOf = (name: 'dev' | 'reset' | 'start' | 'token') => `scripts/start/${name}.ts`

let clone: string
beforeAll(async () => {
  clone = await makeCheckout()
})
afterAll(() => rm(clone, { recursive: true }))

/** Runs npm start in the clone to its end, on ports of its own unless one is given. */
async function start(ports: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const [port, authPort] = await freePorts()
  const env = { PORT: String(port), AUTH_PORT: String(authPort), ...ports }
  return runCommand(clone, fileOf('start'), [], env)
}

it('The build of a deployment makes no key and no database', async () => {
  const built = await runCommand(clone, fileOf('dev'), [], { WRANGLER_COMMAND: 'deploy' })
  expect(built).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(['.dev.vars', '.wrangler'].filter((name) => existsSync(join(clone, name)))).toEqual([])
})

it.each([
  [['--client'], { sub: 'local-machine' }],
  [
    ['--person', '3', '--scope', 'users.read users.write'],
    { sub: '3', scope: 'users.read users.write' },
  ],
  [['--scope', ' users.read  users.write'], { scope: 'users.read users.write' }],
  [[], { sub: '1', scope: 'users.read users.sensitive.read users.citizenships.read' }],
])('npm run token %j prints a token and nothing else', async (args, claims) => {
  const env = { PORT: '18080', AUTH_PORT: '19400' }
  const { code, stdout, stderr } = await runCommand(clone, fileOf('token'), args, env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  const ours = { iss: 'http://127.0.0.1:19400', aud: 'http://127.0.0.1:18080/jsonapi' }
  expect(decodeJwt(stdout)).toMatchObject({ ...ours, ...claims })
})

it.each([
  [fileOf('token'), ['--frobnicate'], "Unknown option '--frobnicate': npm run token -- --help "],
  [fileOf('token'), ['--person', '9'], '"9"'],
  [fileOf('token'), ['--scope', ' users.read  users.frobnicate'], 'users.frobnicate'],
  ['test/fuzz/run.ts', ['--seed', 'abc'], '--seed must be a whole number, not "abc"'],
  ['test/bench/bench.ts', ['--only', 'zz'], '"zz"'],
  ['test/bench/bench.ts', ['--beside', 'nowhere.js'], 'nowhere.js'],
])('%s %j says in one line what is wrong', async (file, args, says) => {
  const { code, stdout, stderr } = await runCommand(clone, file, args)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[^\n]+\n$/)
  expect(stderr).toContain(says)
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
