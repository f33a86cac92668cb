import { readArguments } from '../../lib/arguments.ts'
import { complaint, runCommand } from '../../lib/complaint.ts'
import { paths } from '../../lib/config.ts'
import { lockState } from '../../lib/lock.ts'
import { d1From, d1Help, d1Options } from '../../operate/database.ts'
import { addressBeside } from '../address.ts'

const help = `Moves all data from D1 to PostgreSQL, or back. The source must take no writes: READ_ONLY = "true" in its variables, and
all traffic on that version. docs/postgres.md, "Moving", has the whole way.

  npm run move -- --to postgres
  npm run move -- --to d1 --service http://127.0.0.1:8787
  POSTGRES_URL=postgres://… npm run move -- --to postgres --env production --remote

  --to <which>     postgres or d1
  --empty          yes, what the target holds now is lost
  --service <url>  on this machine: where the source answers with READ_ONLY; without it, no service may run in this folder
${d1Help}
  POSTGRES_URL     the database of PostgreSQL, for a user who may make tables; on this machine, that of npm run start:postgres
                   unless given

The rows are copied in bounded steps, the source is read once more, and then the target: number and checksum of each table
must be alike. Reads of the source go on meanwhile. Where anything fails, the source is as it was: begin again.
`

await runCommand(async () => {
  const {
    to,
    empty = false,
    service,
    ...values
  } = readArguments({
    name: 'move',
    help,
    options: {
      to: { type: 'string' },
      empty: { type: 'boolean' },
      service: { type: 'string' },
      ...d1Options,
    },
  })
  if (to !== 'postgres' && to !== 'd1') {
    throw complaint('Where to? Say --to postgres or --to d1.')
  }
  const database = d1From(values)
  if (service !== undefined && (!database.isLocal || !URL.canParse(service))) {
    throw complaint(
      'The option --service takes the address of a service on this machine, like http://127.0.0.1:8787.',
    )
  }
  const given = addressBeside(database, process.env)
  if (database.isLocal && service === undefined) {
    lockState('npm run move')
  }
  // Loaded only now: help and complaints are told at once.
  const { move } = await import('./steps.ts')
  const config = to === 'postgres' ? paths.wranglerConfig : paths.postgresConfig
  await move({ to, empties: empty, database, service, url: given, config, env: values.env })
})
