import { runCommand } from '../lib/complaint.ts'
import { argumentsForVitest, runTests } from '../lib/vitest.ts'

const help = `Runs the tests that npm test leaves out, because they take minutes or install packages: *.slow.test.ts.

  npm run test:slow
  npm run test:slow -- model             the files whose names hold this

Other arguments go to vitest: npx vitest --help lists them.

`

await runCommand(async () => {
  const args = argumentsForVitest({ name: 'test:slow', help })
  await runTests('--project', 'slow-*', ...args)
})
