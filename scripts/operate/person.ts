import { existsSync } from 'node:fs'
import { createNames } from '../../src/auth/names.ts'
import { parseKeyRing } from '../../src/lib/key-ring.ts'
import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { secretsOf } from '../lib/config.ts'
import { demandConsent } from '../lib/consent.ts'
import { makePrivateFile } from '../lib/private-file.ts'
import { readRing } from '../lib/secrets.ts'
import { databaseFrom, databaseHelp, databaseOptions } from './choose.ts'

const help = `Prints everything that is stored of a person, as JSON, or erases it.

  npm run -s person -- --subject 1
  npm run person -- --subject 1 --file person.json --env production --remote --secrets-file secrets.json
  npm run person -- --subject 1 --erase
  POSTGRES_URL=… npm run -s person -- --subject 1 --database postgres --secrets-file secrets.json

  --subject <sub>        the person: sub of their access tokens
  --file <file>          write it there instead: a new file, which only you can read
  --erase                erase it, 90 users in one transaction, until nothing is left
  --yes                  erase without a question; needed where the database is not on this machine
  --issuer <iss>         print the person's name in the log instead, for BLOCKED_CALLERS; iss is TOKEN_ISSUER
  --secrets-file <file>  holds the key ring of card numbers; the default, for the local database, is .dev.vars
${databaseHelp}
`

await runCommand(async () => {
  const { subject, file, erase, yes, issuer, ...values } = readArguments({
    name: 'person',
    help,
    options: {
      subject: { type: 'string' },
      file: { type: 'string' },
      erase: { type: 'boolean' },
      yes: { type: 'boolean', default: false },
      issuer: { type: 'string' },
      'secrets-file': { type: 'string' },
      ...databaseOptions,
    },
  })
  if (!subject) {
    throw complaint('Whose data? Name the person with --subject.')
  }
  if (issuer !== undefined) {
    const ring = parseKeyRing(await readRing(values['secrets-file'] ?? secretsOf()))
    console.log((await createNames(ring).ofCaller({ kind: 'user', issuer, id: subject })).name)
    return
  }
  const database = await databaseFrom(values)
  const nothingStored = complaint(`Nothing is stored of ${subject} in ${database.name}.`)
  const { erasePerson, personalData, personalRows } = await import('./personal-data.ts')
  try {
    if (erase) {
      const counts = Object.entries(await personalRows(database, subject))
      if (counts.length === 0) {
        throw nothingStored
      }
      const rows = counts.map(([table, count]) => `${count} in ${table}`).join(', ')
      const held = `what ${database.name} holds of ${subject}. Rows: ${rows}.`
      await demandConsent(`This erases ${held}`, { yes, mayAsk: database.isLocal })
      await erasePerson(database, subject)
      console.log(`Erased ${held}`)
      return
    }
    const local = database.isLocal && existsSync(secretsOf()) ? secretsOf() : undefined
    const secrets = values['secrets-file'] ?? local
    const ring = secrets === undefined ? undefined : await readRing(secrets)
    const data = await personalData(database, subject, ring)
    if (Object.values(data.owned).every((rows) => rows.length === 0)) {
      throw nothingStored
    }
    const text = JSON.stringify(data, null, 2)
    if (file === undefined) {
      console.log(text)
      return
    }
    await makePrivateFile(file, `${text}\n`)
    console.log(`${file} holds what is stored of ${subject} in ${database.name}.`)
  } finally {
    await database.close()
  }
})
