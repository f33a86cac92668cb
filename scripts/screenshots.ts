import { argumentsOrExit } from './lib/arguments.ts'
import { run } from './lib/npm.ts'

const help = `Takes the pictures of the docs page in docs/images, in Chromium.

  npm run screenshots
`

argumentsOrExit({ name: 'screenshots', help, options: {} })

// The tests that look at the page on each screen take them, so that a picture shows what is checked.
process.env.SCREENSHOTS = 'true'
const config = 'test/browser/vitest.config.ts'
const title = 'documentation.page.on'
process.exitCode = await run('vitest', 'run', '--config', config, 'layout', '-t', title)
