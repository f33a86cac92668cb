import { users } from '../../src/resources/users.ts'
import { readArguments } from '../lib/arguments.ts'
import { runCommand } from '../lib/complaint.ts'
import { databaseFrom, databaseHelp, databaseOptions } from './choose.ts'
import { renewKeys } from './sort-keys.ts'

const help = `Writes the keys anew that an earlier version has sorted names by (docs/operations.md, "Sort keys").

  npm run rekey -- --env production --remote
  POSTGRES_URL=… npm run rekey -- --database postgres

${databaseHelp}
`

await runCommand(async () => {
  const database = databaseFrom(readArguments({ name: 'rekey', help, options: databaseOptions }))
  const start = performance.now()
  for (const { attribute, seen, renewed } of await renewKeys(database, users)) {
    const seconds = (performance.now() - start) / 1_000
    const rate = Math.round(seen / seconds)
    console.log(
      `${attribute}: ${renewed} of ${seen} keys were written anew in ${database.name}, ${rate} rows a second.`,
    )
  }
})
