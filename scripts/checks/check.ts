import { execFile } from 'node:child_process'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'

/** Parts of the check, each of which is a command of its own. */
const parts = ['format', 'types', 'declarations', 'unused', 'deploy'] as const

const help = `Checks what can be checked without running a test and without a network: ${parts.join(', ')}.
The parts run side by side, and each says what it has to say when it is done.
npm run check:description and npm run check:workflows install linters first, and are apart. So are npm run check:deploy-postgres
and npm run check:button, trial deployments of what changes seldom. CI runs all of them.

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
  const passed = await Promise.all(chosen.map(passes))
  const failed = chosen.filter((_, index) => !passed[index])
  if (failed.length > 0) {
    throw complaint(`Fails: ${failed.map((part) => `npm run check:${part}`).join(', ')}`)
  }
})

/** Runs a part, whose output is passed on as a whole. */
function passes(part: (typeof parts)[number]): Promise<boolean> {
  const options = {
    cwd: paths.root,
    shell: process.platform === 'win32',
    maxBuffer: Number.POSITIVE_INFINITY,
  }
  return new Promise((resolve) => {
    execFile('npm', ['run', '--silent', `check:${part}`], options, (error, stdout, stderr) => {
      process.stdout.write(stdout)
      process.stderr.write(stderr)
      resolve(error === null)
    })
  })
}
