import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { secretsOf } from '../lib/config.ts'
import { createProgress } from '../lib/progress.ts'
import { readRing, writeRings } from '../lib/secrets.ts'
import { databaseFrom, databaseHelp, databaseOptions } from './choose.ts'
import { resealCards } from './reseal-cards.ts'

const help = `Encrypts card numbers anew that are not under the current key of the ring (docs/operations.md, "Card keys").

  npm run reseal -- --new-key k2 --secrets-file secrets.json
  npm run reseal -- --env production --remote --secrets-file secrets.json
  POSTGRES_URL=… npm run reseal -- --database postgres --secrets-file secrets.json

  --new-key <id>         touch no database: make the files of secrets for the steps by which this new key replaces the
                         ring of --secrets-file; or that file, with the first ring, where it is not there
  --secrets-file <file>  holds the key ring; the default, for the local database, is .dev.vars
${databaseHelp}
`

await runCommand(async () => {
  const {
    'secrets-file': file,
    'new-key': key,
    ...values
  } = readArguments({
    name: 'reseal',
    help,
    options: {
      'secrets-file': { type: 'string' },
      'new-key': { type: 'string' },
      ...databaseOptions,
    },
  })
  if (key !== undefined) {
    const made = await writeRings(file ?? 'secrets.json', key)
    console.log(`Made, for you alone: ${made.join(', ')}. Keep a copy in your safe.`)
    return
  }
  const database = await databaseFrom(values)
  const secrets = file ?? (database.isLocal ? secretsOf() : undefined)
  if (secrets === undefined) {
    throw complaint('Which key ring? Name its file with --secrets-file.')
  }
  const ring = await readRing(secrets)
  const count = await resealCards(database, ring, createProgress()).finally(database.close)
  console.log(`Card numbers encrypted anew in ${database.name}: ${count}.`)
})
