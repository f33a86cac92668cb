import { problemsIn } from '../../src/db/check.ts'
import { about, registry } from '../../src/resources/index.ts'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'

const help = `Checks that the service can serve what src/resources declares, as far as the compiler cannot tell.

  npm run check:declarations
`

await runCommand(async () => {
  readArguments({ name: 'check:declarations', help, options: {} })
  const problems = problemsIn(registry, Object.keys(about.scopes))
  if (problems.length > 0) {
    throw complaint(problems.join('\n'))
  }
})
