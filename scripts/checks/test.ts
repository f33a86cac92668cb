import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { npmRun, run } from '../lib/npm.ts'

const help = `Checks the project, then runs its tests: those of units, and those over HTTP on the built service.

  npm test
  npm test -- --reporter=json --outputFile=reports/tests.json

Other arguments go to vitest: npx vitest --help lists them. For some tests alone, without the checks:
npx vitest run --project unit test/unit/db

`

await runCommand(async () => {
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    readArguments({ name: 'test', help, options: {} }, ['--help'])
  }
  await npmRun('check')
  if ((await run('vitest', 'run', ...args)) !== 0) {
    throw complaint('Tests fail.')
  }
})
