import { existsSync } from 'node:fs'
import { readSecrets } from '../deploy/secrets.ts'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { secretsOf } from '../lib/config.ts'
import { databaseFrom, databaseHelp, databaseOptions } from './database.ts'

const help = `Prints everything that is stored of a person, as JSON, or erases it.

  npm run -s person -- --subject 1 > john.json
  npm run -s person -- --subject 1 --env production --remote --secrets-file secrets.json > john.json
  npm run person -- --subject 1 --erase

  --subject <sub>        the person: sub of their access tokens
  --erase                erase it, in one transaction, and look that nothing is left
  --secrets-file <file>  where the key ring of card numbers is; .dev.vars unless given, for the local database
${databaseHelp}
`

await runCommand(async () => {
  const { subject, erase, ...values } = readArguments({
    name: 'person',
    help,
    options: {
      subject: { type: 'string' },
      erase: { type: 'boolean' },
      'secrets-file': { type: 'string' },
      ...databaseOptions,
    },
  })
  if (!subject) {
    throw complaint('Whose data? Name the person with --subject.')
  }
  const database = databaseFrom(values)
  const { erasePerson, personalData } = await import('./personal-data.ts')
  if (erase) {
    const counts = Object.entries(await erasePerson(database, subject))
    const told = counts.map(([table, count]) => `${count} in ${table}`).join(', ')
    console.log(
      told === ''
        ? `Nothing was stored of ${subject} in ${database.name}.`
        : `Erased of ${subject} from ${database.name}: rows, ${told}.`,
    )
    return
  }
  const secrets = secretsOf('')
  const local = database.isLocal && existsSync(secrets) ? secrets : undefined
  const file = values['secrets-file'] ?? local
  const { CARD_KEYS: ring } = file === undefined ? {} : await readSecrets(file)
  const data = await personalData(database, subject, typeof ring === 'string' ? ring : undefined)
  console.log(JSON.stringify(data, null, 2))
})
