import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '../../scripts/start/authorization-server.ts'
import { createSigningKey } from '../../scripts/start/keys.ts'
import { type Ended, makeCheckout, runCommand, runCommands } from '../support/checkout.ts'
import { freePort, freePorts, occupyPort } from '../support/ports.ts'

const { scripts }: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
)

/** Commands of the project's own: their names, the files behind them, and what package.json has behind those. */
const own = Object.entries(scripts).flatMap(([name, line]) => {
  const [, file, rest = ''] =
    /^node (?:--\S+ )?scripts\/run\.js ((?:scripts|test)\/\S+)(.*)/.exec(line) ?? []
  return file === undefined ? [] : [{ name, file, args: rest.split(' ').filter(Boolean) }]
})
const fileOf = (name: 'dev' | 'reset' | 'start' | 'token') => `scripts/start/${name}.ts`

/** Commands that fail: one line on stderr, which these texts are in. */
const refused: readonly { file: string; args?: readonly string[]; says: readonly string[] }[] = [
  // One command of each way to read arguments.
  ...[fileOf('token'), 'test/fuzz/run.ts'].map((file) => ({
    file,
    args: ['--frobnicate'],
    says: ["Unknown option '--frobnicate': npm run ", '-- --help '],
  })),
  { file: fileOf('token'), args: ['--person', '9'], says: ['"9"'] },
  { file: fileOf('token'), args: ['--scope', 'users.frobnicate'], says: ['users.frobnicate'] },
  { file: 'test/fuzz/run.ts', args: ['--seed', 'abc'], says: ['--seed', '"abc"'] },
  { file: 'test/bench/bench.ts', args: ['--only', 'zz'], says: ['--only', '"zz"'] },
  { file: 'test/bench/bench.ts', args: ['--beside', 'nowhere.js'], says: ['nowhere.js'] },
]
/** What wrangler may be doing when it builds. */
const builds = ['deploy', 'versions upload', 'types', '']
const tokens = [['--client'], ['--person', '3', '--scope', 'users.read users.write'], []]

let clone: string
let server: AuthorizationServer
/** The address of an authorization server that does not run. */
let nobody: string
const ended: Record<'helped' | 'built' | 'printed' | 'refused' | 'alone', readonly Ended[]> = {
  helped: [],
  built: [],
  printed: [],
  refused: [],
  alone: [],
}
beforeAll(async () => {
  clone = await makeCheckout()
  server = await startAuthorizationServer(
    0,
    'http://127.0.0.1:18080/jsonapi',
    await createSigningKey(),
  )
  const env = { AUTH_PORT: new URL(server.issuer).port }
  nobody = String(await freePort())
  const calls = {
    helped: own.map(({ file, args }) => ({ file, args: [...args, '--help'] })),
    built: builds.map((doing) => ({ file: fileOf('dev'), env: { WRANGLER_COMMAND: doing } })),
    printed: tokens.map((args) => ({ file: fileOf('token'), args, env })),
    refused: refused.map((call) => ({ ...call, env })),
    alone: [{ file: fileOf('token'), args: ['--client'], env: { AUTH_PORT: nobody } }],
  }
  const all = await runCommands(clone, Object.values(calls).flat())
  for (const name of Object.keys(calls) as (keyof typeof calls)[]) {
    ended[name] = all.splice(0, calls[name].length)
  }
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

describe('npm run', () => {
  it('runs everything so that missing packages are told in one line: commands of the project, and programs with a help of their own', () => {
    expect(own.length).toBeGreaterThan(12)
    const others = Object.entries(scripts).filter(([name]) => !own.some((one) => one.name === name))
    const programs = /^node scripts\/run\.js node_modules\/(?:@biomejs\/biome|vitest)\/[^&]*$/
    expect(others.filter(([, line]) => !programs.test(line))).toEqual([])
  })

  it('explains each command with --help, in its own words', () => {
    for (const [index, { name }] of own.entries()) {
      const { code, stdout, stderr } = ended.helped[index] as Ended
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' })
      expect(stdout).toMatch(/^[A-Z][^\n]{40}/)
      expect(stdout).toContain('--help   this text')
      expect(stdout).toMatch(/npm (?:run|start|test)/)
    }
  })

  it('says in one line what is wrong with arguments, or that the authorization server is not running', () => {
    const says = [...refused.map(({ says }) => says), [`http://127.0.0.1:${nobody}`, 'npm start']]
    for (const [index, { code, stdout, stderr }] of [...ended.refused, ...ended.alone].entries()) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^[^\n]+\n$/)
      for (const text of says[index] ?? []) {
        expect(stderr).toContain(text)
      }
    }
  })

  it('does nothing else in all these cases, and in the build of a deployment: it makes no key and no database', () => {
    expect(ended.built).toEqual(builds.map(() => ({ code: 0, stdout: '', stderr: '' })))
    const made = ['.dev.vars', '.wrangler'].filter((name) => existsSync(join(clone, name)))
    expect(made).toEqual([])
  })
})

it('npm run token prints a token and nothing else: of the machine, of the person and with the scopes named, or of the first person with every scope that reads', () => {
  const claims = ended.printed.map(({ code, stdout, stderr }) => {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    return decodeJwt(stdout)
  })
  expect(claims).toMatchObject([
    { sub: 'local-machine' },
    { sub: '3', scope: 'users.read users.write' },
    { sub: '1', scope: 'users.read users.sensitive.read users.citizenships.read' },
  ])
})

it('npm run token names a server that is no authorization server', async () => {
  const other = createServer((_, response) => response.end('{"status":"ok"}'))
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const env = { AUTH_PORT: String(port) }
  for (const args of tokens) {
    const { code, stdout, stderr } = await runCommand(clone, fileOf('token'), args, env)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      new RegExp(`^[^\\n]*http://127\\.0\\.0\\.1:${port} is not the authorization`),
    )
  }
  other.close()
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
