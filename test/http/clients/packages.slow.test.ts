import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packClient } from '../../../scripts/deploy/client-package.ts'
import { paths } from '../../../scripts/lib/config.ts'
import { installed } from '../../../scripts/lib/install.ts'
import { outputOf } from '../../../scripts/lib/npm.ts'
import { startAuthorizedService } from '../../support/authorized-service.ts'
import { expectToRun, urls } from './run-program.ts'

const clients = join(paths.root, 'clients')
const source = join(clients, 'typescript')

const service = await startAuthorizedService()

/** Runs a program of the packages of a folder. */
function tool(owner: string, file: string, ...args: readonly string[]): Promise<string> {
  return outputOf(owner, process.execPath, join(owner, 'node_modules', file), ...args)
}

it('The program for authors of clients that uses Kitsu compiles, and does the same as the others', async () => {
  const folder = join(clients, 'programs')
  await installed(folder)
  await tool(paths.root, 'typescript/bin/tsc', '--project', folder)
  await expectToRun(join(folder, 'kitsu.ts'), service)
})

describe('The package of the generated client, packed as a deployment serves it', () => {
  let project: string
  let files: readonly string[]
  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'client-'))
    const tarball = await packClient(project)
    files = (await outputOf(project, 'tar', '-tzf', tarball)).trim().split('\n')
    await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }')
    const install = ['--silent', 'install', '--offline', '--ignore-scripts', '--no-audit']
    await outputOf(project, 'npm', ...install, tarball)
    for (const file of ['typescript/example.ts', 'programs/sign-in.ts']) {
      await mkdir(join(project, file, '..'))
      await cp(join(clients, file), join(project, file))
    }
    await cp(join(import.meta.dirname, 'refused.ts'), join(project, 'typescript', 'refused.ts'))
  }, 300_000)
  afterAll(() => rm(project, { recursive: true, force: true }))

  it('holds what it exports, its README and its licence, and nothing else', async () => {
    const { exports } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'))
    const exported = Object.values<string>(exports['.']).map((path) => path.replace('.', 'package'))
    expect(files).toEqual(
      expect.arrayContaining(['package/README.md', 'package/LICENSE', ...exported]),
    )
    const known = /^package\/(?:package\.json|README\.md|LICENSE|dist\/.+\.(?:js|d\.ts))$/
    expect(files.filter((path) => !known.test(path))).toEqual([])
    await tool(source, 'publint/src/cli.js', 'run', source, '--strict')
  })

  it('compiles under strict, and the compiler refuses what the service would refuse', async () => {
    const compilerOptions = {
      target: 'es2024',
      lib: ['es2024', 'dom', 'dom.iterable'],
      module: 'nodenext',
      types: ['node'],
      typeRoots: [join(paths.root, 'node_modules', '@types')],
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      allowImportingTsExtensions: true,
      noEmit: true,
    }
    const config = { compilerOptions, include: ['typescript'] }
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config))
    await tool(paths.root, 'typescript/bin/tsc', '--project', project)
  })

  it('says in a sentence that there is no token, and waits for none after an abort', async () => {
    const { connect, listCountries } = await import(join(source, 'dist', 'index.js'))
    const baseUrl = 'https://api.example.com/jsonapi'
    const sentence = 'There is no access token'
    expect(() => connect({ baseUrl, token: undefined })).toThrow(sentence)
    const client = connect({ baseUrl, token: () => undefined })
    await expect(listCountries({ client })).rejects.toThrow(sentence)
    const waiting = connect({ baseUrl, token: () => new Promise(() => {}) })
    const aborting = new AbortController()
    const sent = listCountries({ client: waiting, signal: aborting.signal })
    aborting.abort('enough')
    await expect(sent).rejects.toBe('enough')
  })

  it('runs', async () => {
    await expectToRun(join(project, 'typescript', 'example.ts'), service)
  })

  it('is used by the program in its README, which runs as it is printed', async () => {
    const readme = await readFile(join(source, 'README.md'), 'utf8')
    const [, program = ''] = /^```js\n([\s\S]*?)^```$/m.exec(readme) ?? []
    await writeFile(join(project, 'europe.mjs'), program)
    const env = { ...process.env, ...urls(service) }
    const options = { cwd: project, env }
    const { stdout } = await promisify(execFile)(process.execPath, ['europe.mjs'], options)
    const lines = stdout.trim().split('\n')
    expect(lines).toHaveLength(53)
    expect(lines).toContain('NO Kingdom of Norway')
  })
})
