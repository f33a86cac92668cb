import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { argumentsOrExit } from './lib/arguments.ts'
import { paths } from './lib/config.ts'

const help = `Takes the pictures of the docs page in docs/images, in Chromium.

  npm run screenshots
`

argumentsOrExit({ name: 'screenshots', help, options: {} })

// The test that looks at the page on each screen takes them, so that a picture shows what is checked.
const vitest = join(paths.root, 'node_modules', 'vitest', 'vitest.mjs')
const config = 'test/browser/vitest.config.ts'
const run = spawn(
  process.execPath,
  [vitest, 'run', '--config', config, 'layout', '-t', 'documentation page on'],
  { cwd: paths.root, env: { ...process.env, SCREENSHOTS: 'true' }, stdio: 'inherit' },
)
const [code] = await once(run, 'exit')
process.exitCode = code ?? 1
