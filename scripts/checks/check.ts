import { execFile } from 'node:child_process'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import { installed } from '../lib/install.ts'

/** Parts of the check, each of which is a command of its own. */
const parts = ['format', 'types', 'declarations', 'unused', 'deploy'] as const

/** Further ones: two install linters first, and one is a trial deployment of what changes seldom. */
const apart = ['description', 'workflows', 'deploy-postgres'] as const

type Part = (typeof parts | typeof apart)[number]

const help = `Checks what can be checked without running a test and without a network: ${parts.join(', ')}.
The parts run side by side, and each says what it has to say when it is done.
What installs linters first, or tries a deployment of what changes seldom, is apart. CI runs both.

  npm run check
  npm run check -- --apart
  npm run check -- --only types

  --apart         these parts instead: ${apart.join(', ')}
  --only <part>   one part of either
`

await runCommand(async () => {
  const { only, apart: isApart } = readArguments({
    name: 'check',
    help,
    options: { only: { type: 'string' }, apart: { type: 'boolean' } },
  })
  const all = [...parts, ...apart]
  const usual: readonly Part[] = isApart ? apart : parts
  const chosen = only === undefined ? usual : all.filter((part) => part === only)
  if (chosen.length === 0) {
    throw complaint(`--only must be one of ${all.join(', ')}, not "${only}".`)
  }
  if (isApart) {
    // Two of them use the same packages, which only one may install at a time.
    await installed(import.meta.dirname)
  }
  const passed = await Promise.all(chosen.map(passes))
  const failed = chosen.filter((_, index) => !passed[index])
  if (failed.length > 0) {
    throw complaint(`Fails: ${failed.map((part) => `npm run check:${part}`).join(', ')}`)
  }
})

/** Runs a part, whose output is passed on as a whole. */
function passes(part: Part): Promise<boolean> {
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
