import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { secretsOf } from '../lib/config.ts'
import { createProgress } from '../lib/progress.ts'
import { readRing } from '../lib/secrets.ts'
import { databaseFrom, databaseHelp, databaseOptions } from './choose.ts'
import { resealCards } from './reseal-cards.ts'

const help = `Encrypts card numbers anew that are not under the current key of the ring (docs/operations.md, "Card keys").

  npm run reseal -- --env production --remote --secrets-file secrets.json
  POSTGRES_URL=… npm run reseal -- --database postgres --secrets-file secrets.json

  --secrets-file <file>  holds the key ring; the default, for the local database, is .dev.vars
${databaseHelp}
`

await runCommand(async () => {
  const { 'secrets-file': file, ...values } = readArguments({
    name: 'reseal',
    help,
    options: { 'secrets-file': { type: 'string' }, ...databaseOptions },
  })
  const database = await databaseFrom(values)
  const secrets = file ?? (database.isLocal ? secretsOf() : undefined)
  if (secrets === undefined) {
    throw complaint('Which key ring? Name its file with --secrets-file.')
  }
  const ring = await readRing(secrets)
  const count = await resealCards(database, ring, createProgress()).finally(database.close)
  console.log(`Card numbers encrypted anew in ${database.name}: ${count}.`)
})
