import { argumentsOrExit } from './lib/arguments.ts'
import { run } from './lib/npm.ts'

const help = `Takes the pictures in docs/images: the docs page in Chromium, and a terminal in which commands are run.

  npm run screenshots
`

argumentsOrExit({ name: 'screenshots', help, options: {} })

// The tests that look at the page on each screen, and at the terminal, take them, so that a picture shows what is checked.
process.env.SCREENSHOTS = 'true'
const config = 'test/browser/vitest.config.ts'
const title = 'documentation.page.on'
const codes = [
  await run('vitest', 'run', '--config', config, 'layout', '-t', title),
  await run('vitest', 'run', '--project', 'http', 'test/http/terminal'),
]
process.exitCode = Math.max(...codes)
