import { users } from '../../src/resources/users.ts'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { wrangler } from '../lib/wrangler.ts'
import { readOptions } from './options.ts'
import { renewKeys } from './sort-keys.ts'

const help = `Writes the keys anew that an earlier version has sorted names by (docs/operations.md, "Sort keys").

  npm run rekey -- --env production

  --env <name>         staging or production
  --local <directory>  the local database that is kept there, in place of the one at Cloudflare
`

await runCommand(async () => {
  const { env, local } = readArguments({
    name: 'rekey',
    help,
    options: { env: { type: 'string' }, local: { type: 'string' } },
  })
  if (env === undefined) {
    throw complaint('Which environment? Name it with --env.')
  }
  readOptions(['--env', env])
  const where = local === undefined ? ['--remote'] : ['--local', '--persist-to', local]
  const start = performance.now()
  for (const { attribute, seen, renewed } of await renewKeys(wrangler, users, [
    '--env',
    env,
    ...where,
  ])) {
    const seconds = (performance.now() - start) / 1_000
    const rate = Math.round(seen / seconds)
    console.log(
      `${attribute}: ${renewed} of ${seen} keys were written anew, ${rate} rows a second.`,
    )
  }
})
