import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { run } from '../lib/npm.ts'

const help = `Writes src/env.d.ts: the types of the variables and bindings in wrangler.toml.

  npm run types
  npm run types -- --check       writes nothing, and fails where the file says something else

`

await runCommand(async () => {
  const { check = false } = readArguments({
    name: 'types',
    help,
    options: { check: { type: 'boolean' } },
  })
  const args = ['types', 'src/env.d.ts', '--include-runtime=false', '--strict-vars=false']
  if ((await run('wrangler', ...args, ...(check ? ['--check'] : []))) !== 0) {
    throw complaint('src/env.d.ts is not what wrangler.toml says: npm run types')
  }
})
