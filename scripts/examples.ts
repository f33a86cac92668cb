import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { argumentsOrExit } from './lib/arguments.ts'
import { paths } from './lib/config.ts'

const help = `Records the answers that the interface description shows, from a service of demo people.

  npm run examples
`

argumentsOrExit({ name: 'examples', help, options: {} })

// The test that compares them with what the service answers records them, too, so that what is recorded and what is checked
// cannot differ.
const vitest = join(paths.root, 'node_modules', 'vitest', 'vitest.mjs')
const test = 'test/http/description/examples/examples.test.ts'
const run = spawn(
  process.execPath,
  [vitest, 'run', '--project', 'http', test, '-t', 'none invented'],
  {
    cwd: paths.root,
    env: { ...process.env, RECORD_EXAMPLES: 'true' },
    stdio: 'inherit',
  },
)
const [code] = await once(run, 'exit')
process.exitCode = code ?? 1
