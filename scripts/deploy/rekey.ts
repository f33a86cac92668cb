import { parseArgs } from 'node:util'
import { users } from '../../src/resources/users.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { wrangler } from '../lib/wrangler.ts'
import { readOptions } from './options.ts'
import { renewKeys } from './sort-keys.ts'

const usage = 'Usage: node scripts/deploy/rekey.ts --env staging|production [--local DIRECTORY]'

await runCommand(async () => {
  const { values } = parseArgs({ options: { env: { type: 'string' }, local: { type: 'string' } } })
  const { env, local } = values
  if (env === undefined) {
    throw complaint(usage)
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
