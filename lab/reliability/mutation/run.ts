import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { argumentsOrExit } from '../../../scripts/lib/arguments.ts'
import { paths } from '../../../scripts/lib/config.ts'
import { installed } from '../../../scripts/lib/install.ts'

const help = `Changes the code in thousands of small ways, and tells which changes no test notices. Takes hours.

  npm run mutate
  npm run mutate -- --mutate src/rate-limit/bucket.ts

  --mutate <files>        only these; a comma between them
  --concurrency <number>  how many at once
`

const { mutate, concurrency } = argumentsOrExit({
  name: 'mutate',
  help,
  options: { mutate: { type: 'string' }, concurrency: { type: 'string' } },
})
await installed(import.meta.dirname)
const stryker = join(import.meta.dirname, 'node_modules/@stryker-mutator/core/bin/stryker.js')
const config = join('lab', 'reliability', 'mutation', 'stryker.config.json')
const args = [
  ...(mutate === undefined ? [] : ['--mutate', mutate]),
  ...(concurrency === undefined ? [] : ['--concurrency', concurrency]),
]
const child = spawn(process.execPath, [stryker, 'run', config, ...args], {
  cwd: paths.root,
  stdio: 'inherit',
})
const [code] = await once(child, 'exit')
process.exitCode = code ?? 1
