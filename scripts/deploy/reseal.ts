import { parseArgs } from 'node:util'
import { complaint, runCommand } from '../lib/complaint.ts'
import { wrangler } from '../lib/wrangler.ts'
import { readOptions } from './options.ts'
import { resealCards } from './reseal-cards.ts'
import { readSecrets } from './secrets.ts'

const usage =
  'Usage: node scripts/deploy/reseal.ts --env staging|production --secrets-file FILE [--local DIRECTORY]'

await runCommand(async () => {
  const { values } = parseArgs({
    options: {
      env: { type: 'string' },
      'secrets-file': { type: 'string' },
      local: { type: 'string' },
    },
  })
  const { env, 'secrets-file': file, local } = values
  if (env === undefined || file === undefined) {
    throw complaint(usage)
  }
  readOptions(['--env', env])
  const { CARD_KEYS: ring } = await readSecrets(file)
  if (typeof ring !== 'string') {
    throw complaint(`The secret CARD_KEYS is not in ${file}.`)
  }
  const where = local === undefined ? ['--remote'] : ['--local', '--persist-to', local]
  const count = await resealCards(wrangler, ring, ['--env', env, ...where])
  console.log(`${count} card numbers were encrypted anew.`)
})
