import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { paths, readConfig, rootPath } from '../lib/config.ts'
import { installed } from '../lib/install.ts'
import { outputOf } from '../lib/npm.ts'
import { clientToken } from '../start/oauth.ts'
import { faultOfProgram } from './run-program.ts'

const help = `Builds the client of clients/typescript, packs it as npm would publish it, installs it into a folder of its own, compiles
its example there, and runs it on the service that npm start runs.

  npm run clients:package
`

const folder = join(paths.root, 'clients', 'typescript')

await runCommand(async () => {
  readArguments({ name: 'clients:package', help, options: {} })
  const addresses = { ...readConfig(), rootPath: rootPath() }
  // Complains in one line where npm start does not run.
  await clientToken(addresses.issuer)
  await installed(folder)
  await npm(folder, 'run', 'build')
  const scratch = await mkdtemp(join(tmpdir(), 'client-'))
  try {
    const tarball = await packed(scratch)
    await installInto(scratch, tarball)
    await compileIn(scratch)
    const fault = await faultOfProgram(join(scratch, 'typescript', 'example.ts'), addresses)
    if (fault) {
      throw complaint(`The example fails.\n${fault}`)
    }
    console.log('ok   the example runs on the service with the installed package')
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
})

/** Packs the package, and checks what is in it. Returns the path of the tarball. */
async function packed(scratch: string): Promise<string> {
  const answer = await npm(
    folder,
    'pack',
    '--json',
    '--ignore-scripts',
    '--pack-destination',
    scratch,
  )
  // npm 12 names the package, earlier ones list it.
  const [pack]: readonly Pack[] = Object.values(JSON.parse(answer))
  const files = pack?.files.map(({ path }) => path) ?? []
  const strays = files.filter(
    (path) => !/^(?:package\.json|README\.md|LICENSE|dist\/.+\.(?:js|d\.ts))$/.test(path),
  )
  const { exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const wanted = ['README.md', 'LICENSE', ...Object.values<string>(exports['.'])]
  const missing = wanted.filter((path) => !files.includes(path.replace('./', '')))
  if (!pack || strays.length > 0 || missing.length > 0) {
    throw complaint(
      `The package has ${strays.join(', ') || 'no stray file'}, and lacks ${missing.join(', ') || 'none'}.`,
    )
  }
  await tool(folder, join('publint', 'src', 'cli.js'), 'run', folder, '--strict')
  console.log(`ok   ${pack.filename}: ${files.length} files, ${pack.size} bytes`)
  return join(scratch, pack.filename)
}

/** What `npm pack --json` tells. */
interface Pack {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

/** Makes a project that has the package, and the example with what it imports of the programs. */
async function installInto(scratch: string, tarball: string): Promise<void> {
  await writeFile(join(scratch, 'package.json'), '{ "private": true, "type": "module" }')
  await npm(scratch, 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball)
  await mkdir(join(scratch, 'typescript'))
  await cp(join(folder, 'example.ts'), join(scratch, 'typescript', 'example.ts'))
  await mkdir(join(scratch, 'programs'))
  const signIn = join('programs', 'sign-in.ts')
  await cp(join(folder, '..', signIn), join(scratch, signIn))
}

/** Compiles the example with the package's declarations, as strictly as TypeScript can, with two versions of it. */
async function compileIn(scratch: string): Promise<void> {
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
  await writeFile(
    join(scratch, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['typescript'] }),
  )
  for (const owner of [folder, paths.root]) {
    const { version } = JSON.parse(
      await readFile(join(owner, 'node_modules', 'typescript', 'package.json'), 'utf8'),
    )
    await tool(owner, join('typescript', 'bin', 'tsc'), '--project', scratch)
    console.log(`ok   the example compiles under strict with TypeScript ${version}`)
  }
}

/** Runs a program of a package. */
async function tool(owner: string, file: string, ...options: readonly string[]): Promise<void> {
  await outputOf(owner, process.execPath, join(owner, 'node_modules', file), ...options)
}

function npm(cwd: string, ...options: readonly string[]): Promise<string> {
  return outputOf(cwd, 'npm', '--silent', ...options)
}
