import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { wrangler } from '../lib/wrangler.ts'
import { readOptions } from './options.ts'
import { resealCards } from './reseal-cards.ts'
import { readSecrets } from './secrets.ts'

const help = `Encrypts card numbers anew that are not under the current key of the ring (docs/operations.md, "Card keys").

  npm run reseal -- --env production --secrets-file secrets.json

  --env <name>           staging or production
  --secrets-file <file>  where the key ring is
  --local <directory>    the local database that is kept there, in place of the one at Cloudflare
`

await runCommand(async () => {
  const {
    env,
    'secrets-file': file,
    local,
  } = readArguments({
    name: 'reseal',
    help,
    options: {
      env: { type: 'string' },
      'secrets-file': { type: 'string' },
      local: { type: 'string' },
    },
  })
  if (env === undefined || file === undefined) {
    throw complaint('Which environment, under which ring? Name them with --env and --secrets-file.')
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
