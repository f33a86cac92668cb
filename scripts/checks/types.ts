import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { run } from '../lib/npm.ts'

/** Projects of TypeScript, by their folders. */
const projects = ['.', 'test', 'lab/reliability']

const help = `Checks all types, and that src/env.d.ts says what wrangler.toml says.

  npm run check:types
`

await runCommand(async () => {
  readArguments({ name: 'check:types', help, options: {} })
  if ((await run('npm', 'run', '--silent', 'types', '--', '--check')) !== 0) {
    throw complaint('src/env.d.ts is not what wrangler.toml says: npm run types')
  }
  for (const project of projects) {
    if ((await run('tsc', '--project', project)) !== 0) {
      throw complaint(`The types of ${project} are wrong.`)
    }
  }
})
