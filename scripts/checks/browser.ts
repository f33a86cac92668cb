import { runCommand } from '../lib/complaint.ts'
import { argumentsForVitest, runTests } from '../lib/vitest.ts'

const help = `Tests the docs page in Chromium, on a service of its own.

  npm run test:browser
  npm run test:browser -- samples        the files whose names hold this

  CHROMIUM   where Chromium is, if not at /usr/bin/chromium

Other arguments go to vitest: npx vitest --help lists them.

`

await runCommand(async () => {
  const args = argumentsForVitest({ name: 'test:browser', help })
  await runTests('--config', 'test/browser/vitest.config.ts', ...args)
})
