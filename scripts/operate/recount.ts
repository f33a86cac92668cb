import { readArguments } from '../lib/arguments.ts'
import { complaint, runCommand } from '../lib/complaint.ts'
import { databaseFrom, databaseHelp, databaseOptions } from './choose.ts'

const help = `Compares the number of users that the service tells with the users there are, and sets it right.

  npm run recount
  npm run recount -- --env production --remote
  npm run recount -- --env production --remote --mend
  POSTGRES_URL=… npm run recount -- --database postgres

  --mend           where the numbers differ, count anew, in one statement
${databaseHelp}

It reads each user once, and so does counting anew: D1's plans count such rows (docs/operations.md, "The number of users").
`

await runCommand(async () => {
  const { mend, ...values } = readArguments({
    name: 'recount',
    help,
    options: { mend: { type: 'boolean' }, ...databaseOptions },
  })
  const database = databaseFrom(values)
  const { compareCounters, faultsIn, recountsOf } = await import('./counters.ts')
  const compared = await compareCounters(database)
  const faults = faultsIn(compared)
  if (faults.length === 0) {
    const told = compared.map(({ counter, rows }) => `${rows} ${counter}`).join(', ')
    console.log(`The counters of ${database.name} are right: ${told}.`)
    return
  }
  if (!mend) {
    throw complaint(`${faults.join(' ')} To set that right in ${database.name}, say --mend.`)
  }
  await database.query(recountsOf(database.engine))
  console.log([...faults, `Counted anew in ${database.name}.`].join(' '))
})
