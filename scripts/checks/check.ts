import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { npmRun } from '../lib/npm.ts'

/** Parts of the check, each of which is a command of its own. */
const parts = ['format', 'types', 'declarations', 'unused', 'deploy', 'button'] as const

const help = `Checks what can be checked without running a test and without a network: ${parts.join(', ')}.
npm run check:description and npm run check:workflows install linters first, and are apart.

  npm run check
  npm run check -- --only types

  --only <part>   one of: ${parts.join(', ')}
`

await runCommand(async () => {
  const { only } = readArguments({ name: 'check', help, options: { only: { type: 'string' } } })
  const chosen = parts.filter((part) => only === undefined || part === only)
  if (chosen.length === 0) {
    throw complaint(`--only must be one of ${parts.join(', ')}, not "${only}".`)
  }
  for (const part of chosen) {
    await npmRun(`check:${part}`)
  }
})
