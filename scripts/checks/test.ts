import { runCommand } from '../lib/complaint.ts'
import { npmRun } from '../lib/npm.ts'
import { argumentsForVitest, runTests } from '../lib/vitest.ts'

const help = `Runs npm run check, then the unit tests, the tests of commands, and the tests over HTTP on the built service. Needs no network.
Tests that take minutes or install packages have a command of their own: npm run test:slow.

  npm test
  npm test -- --reporter=json --outputFile=reports/tests.json

Other arguments go to vitest: npx vitest --help lists them. To run some tests alone, without the checks:
npx vitest run --project unit test/unit/db

`

await runCommand(async () => {
  const args = argumentsForVitest({ name: 'test', help })
  await npmRun('check')
  await runTests('--project', 'unit', '--project', 'http', '--project', 'commands', ...args)
})
