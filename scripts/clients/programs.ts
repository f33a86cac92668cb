import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { installed } from '../lib/install.ts'
import { outputOf } from '../lib/npm.ts'
import { type Addresses, faultOfProgram } from './run-program.ts'

/** A program for authors of clients (docs/guides/clients.md). */
interface Program {
  /** Of its file. */
  readonly name: string
  /** The npm packages with their versions in package.json. */
  readonly packages: readonly string[]
  /** What generates its client from the description, as npx knows it. */
  readonly generate?: {
    readonly name: string
    /** Below node_modules. */
    readonly file: string
    readonly options: readonly string[]
  }
}

/** Where the programs are, with a package.json of their own. */
const folder = join(import.meta.dirname, '..', '..', 'clients', 'programs')

/**
 * Every program of the folder.
 *
 * @param description where the interface description is
 */
export function programsFor(description: string): readonly Program[] {
  return [
    { name: 'fetch', packages: [] },
    {
      name: 'hey-api',
      packages: ['@hey-api/openapi-ts'],
      generate: {
        name: 'openapi-ts',
        file: '@hey-api/openapi-ts/bin/run.js',
        options: ['--file', 'openapi-ts.config.js', '--input', description],
      },
    },
    {
      name: 'openapi-fetch',
      packages: ['openapi-typescript', 'openapi-fetch'],
      generate: {
        name: 'openapi-typescript',
        file: 'openapi-typescript/bin/cli.js',
        options: [description, '--output', 'generated/openapi.ts'],
      },
    },
    { name: 'kitsu', packages: ['kitsu'] },
  ]
}

/**
 * Generates the clients that the programs need, compiles all of them under `strict`, and runs each against the service.
 * Prints a line for each.
 *
 * @returns how many failed
 * @throws a complaint with what a generator or the compiler prints when it fails
 */
export async function tryPrograms(addresses: Addresses): Promise<number> {
  await installed(folder)
  const { dependencies, devDependencies } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  )
  const versions: Record<string, string> = { ...dependencies, ...devDependencies }
  const programs = programsFor(`${addresses.origin}${addresses.rootPath}/oas`)
  await rm(join(folder, 'generated'), { recursive: true, force: true })
  const compiler = { file: 'typescript/bin/tsc', options: [] }
  for (const { file, options } of [
    ...programs.flatMap(({ generate = [] }) => generate),
    compiler,
  ]) {
    await outputOf(folder, process.execPath, join(folder, 'node_modules', file), ...options)
  }
  let failed = 0
  for (const { name, packages } of programs) {
    const fault = await faultOfProgram(join(folder, `${name}.ts`), addresses)
    const used = packages.map((one) => `${one} ${versions[one]}`).join(', ') || 'no package'
    console.log(`${fault ? 'FAIL' : 'ok  '} clients/programs/${name}.ts (${used})`)
    if (fault) {
      failed += 1
      console.log(fault)
    }
  }
  return failed
}
