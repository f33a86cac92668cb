import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { run } from '../lib/npm.ts'

const help = `Runs npm run check, then the unit tests, the tests of commands, and the tests over HTTP on the built service. Needs no network.
Tests that take minutes or install packages have a command of their own: npm run test:slow.

  npm test
  npm test -- --reporter=json --outputFile=reports/tests.json

Other arguments go to vitest: npx vitest --help lists them. To run some tests alone, without the checks:
npx vitest run --project unit test/unit/db
`

await runCommand(async () => {
  const args = process.argv.slice(2)
  if (args.includes('--help')) {
    readArguments({ name: 'test', help, options: {} }, ['--help'])
  }
  if ((await run('npm', 'run', '--silent', 'check')) !== 0) {
    throw complaint('npm run check fails.')
  }
  const projects = ['unit', 'http', 'commands'].map((name) => `--project=${name}`)
  process.exitCode = await run('vitest', 'run', ...projects, ...args)
})
