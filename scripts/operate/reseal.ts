import { readSecrets } from '../deploy/secrets.ts'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { resealCards } from './reseal-cards.ts'
import { storedDatabase, storedHelp, storedOptions } from './stored.ts'

const help = `Encrypts card numbers anew that are not under the current key of the ring (docs/operations.md, "Card keys").

  npm run reseal -- --env production --secrets-file secrets.json
  POSTGRES_URL=… npm run reseal -- --database postgres --secrets-file secrets.json

  --secrets-file <file>  where the key ring is
${storedHelp}
`

await runCommand(async () => {
  const { 'secrets-file': file, ...values } = readArguments({
    name: 'reseal',
    help,
    options: { 'secrets-file': { type: 'string' }, ...storedOptions },
  })
  if (file === undefined) {
    throw complaint('Under which ring? Name its file with --secrets-file.')
  }
  const database = storedDatabase(values)
  const { CARD_KEYS: ring } = await readSecrets(file)
  if (typeof ring !== 'string') {
    throw complaint(`The secret CARD_KEYS is not in ${file}.`)
  }
  const count = await resealCards(database, ring)
  console.log(`${count} card numbers were encrypted anew.`)
})
