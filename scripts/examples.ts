import { argumentsOrExit } from './lib/arguments.ts'
import { run } from './lib/npm.ts'

const help = `Records the answers that the interface description shows, from a service of demo people.

  npm run examples
`

argumentsOrExit({ name: 'examples', help, options: {} })

// The test that compares them with what the service answers records them, too, so that what is recorded and what is checked
// cannot differ.
process.env.RECORD_EXAMPLES = 'true'
const test = 'test/http/description/examples/examples.test.ts'
process.exitCode = await run('vitest', 'run', '--project', 'http', test, '-t', 'none.invented')
