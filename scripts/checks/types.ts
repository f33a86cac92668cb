import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import { run } from '../lib/npm.ts'

/** Projects of TypeScript: a name, and the folder. */
const projects = { src: '.', test: 'test', lab: 'lab/reliability' } as const

const help = `Checks all types, and that src/env.d.ts says what wrangler.toml says. What has not changed since the last
time is not checked again: the compiler remembers it in .wrangler.

  npm run check:types
`

await runCommand(async () => {
  readArguments({ name: 'check:types', help, options: {} })
  if ((await run('npm', 'run', '--silent', 'types', '--', '--check')) !== 0) {
    throw complaint('The types of the environment are wrong.')
  }
  const memory = join(paths.state, 'types')
  await mkdir(memory, { recursive: true })
  for (const [name, project] of Object.entries(projects)) {
    const remembered = join(memory, `${name}.tsbuildinfo`)
    const options = ['--incremental', '--tsBuildInfoFile', remembered]
    if ((await run('tsc', '--project', project, ...options)) !== 0) {
      throw complaint(`The types of ${project} are wrong.`)
    }
  }
})
