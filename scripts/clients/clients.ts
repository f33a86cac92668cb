import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { decodeJwt } from 'jose'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { readConfig, scopes } from '../lib/config.ts'
import { installed } from '../lib/install.ts'
import { personToken } from '../start/oauth.ts'
import { type Generator, generators } from './generators.ts'
import { tryPrograms } from './programs.ts'
import type { Seen, Visit } from './visits/seen.ts'

const help = `Generates clients from the interface description with seven generators, and tries each on the service that npm start runs.
Then it tries the programs of docs/guides/clients.md.

  npm run clients
  npm run clients -- --programs

  --programs   only the programs
`

const folder = import.meta.dirname
const run = promisify(execFile)

/** What every client is to see. */
const expected: Seen = {
  symbols: ['B/.', '$'],
  pages: [20, 20, 13],
  name: 'Typed Client',
  refusal: 'CONFLICT',
  unauthorized: 'UNAUTHORIZED',
}

/**
 * Tries the generators and the programs on the running service. Prints a line for each; fails unless all of them see the
 * same.
 */
await runCommand(async () => {
  const { programs: programsAlone } = readArguments({
    name: 'clients',
    help,
    options: { programs: { type: 'boolean' } },
  })
  const { origin, issuer } = readConfig()
  const token = await personToken(issuer, '1', Object.keys(scopes).join(' '))
  const rootPath = new URL(String(decodeJwt(token).aud)).pathname
  const generated = programsAlone
    ? { passed: 0, failed: 0 }
    : await tryGenerators(origin + rootPath, token)
  const { passed, failed } = await tryPrograms({ origin, rootPath, issuer })
  console.log(`${generated.passed + passed} passed, ${generated.failed + failed} failed`)
  process.exitCode = generated.failed + failed > 0 ? 1 : 0
})

/**
 * Generates a client of the service with each generator, compiles it under `strict`, and has it read, page, create and fail.
 *
 * @returns how many passed and failed
 */
async function tryGenerators(baseUrl: string, token: string) {
  await installed(folder)
  await rm(join(folder, 'generated'), { recursive: true, force: true })
  await mkdir(join(folder, 'generated'), { recursive: true })
  await writeFile(join(folder, 'generated', 'oas.json'), await descriptionOf(baseUrl))
  const { devDependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  let failed = 0
  for (const generator of generators) {
    const fault = await faultOf(generator, baseUrl, token)
    const packages = generator.packages.map((name) => `${name} ${devDependencies[name]}`)
    const strictness = generator.skipLibCheck ? 'strict, skipLibCheck' : 'strict'
    console.log(`${fault ? 'FAIL' : 'ok  '} ${packages.join(' with ')} (${strictness})`)
    if (fault) {
      failed += 1
      console.log(fault)
    }
  }
  return { passed: generators.length - failed, failed }
}

async function descriptionOf(baseUrl: string): Promise<string> {
  try {
    return await (await fetch(`${baseUrl}/oas`)).text()
  } catch (error) {
    throw complaint(
      `No service answers at ${baseUrl}: start it with npm start, or set PORT.`,
      error,
    )
  }
}

/** What goes wrong with a generated client; undefined where nothing does. */
async function faultOf(
  { name, command: [file, ...options], skipLibCheck }: Generator,
  baseUrl: string,
  token: string,
): Promise<string | undefined> {
  const npm = (script: string, ...args: readonly string[]) =>
    run(process.execPath, [join(folder, 'node_modules', script), ...args], {
      cwd: folder,
      env: { ...process.env, SERVICE_URL: baseUrl },
    })
  try {
    await npm(file, ...options)
    const visitor = join(folder, 'visits', `${name}.ts`)
    const project = join(folder, 'generated', `tsconfig.${name}.json`)
    const compilerOptions = { noEmit: true, skipLibCheck: skipLibCheck === true }
    await writeFile(
      project,
      JSON.stringify({ extends: '../tsconfig.json', compilerOptions, files: [visitor] }),
    )
    await npm('typescript/bin/tsc', '--project', project)
    const { visit }: { readonly visit: Visit } = await import(visitor)
    const email = `${crypto.randomUUID()}@example.com`
    const seen = await visit({ baseUrl, token, email })
    return isDeepStrictEqual(seen, expected) ? undefined : `It has seen ${JSON.stringify(seen)}`
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string }
    return [stdout, stderr].filter(Boolean).join('\n') || message
  }
}
