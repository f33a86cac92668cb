import { readArguments } from '../../lib/arguments.ts'
import { complaint, runCommand } from '../../lib/complaint.ts'
import { paths } from '../../lib/config.ts'
import { lockState } from '../../lib/lock.ts'
import { d1From, d1Help, d1Options } from '../../operate/database.ts'
import { untilInterrupted } from '../../start/process.ts'
import { addressBeside } from '../address.ts'
import type { Moving } from './steps.ts'

const help = `Moves all data from D1 to PostgreSQL, or back. The source must take no writes: READ_ONLY = "true" in its variables, and
all traffic on that version. docs/postgres.md, "Moving", has the whole way.

  npm run move -- --to postgres
  npm run move -- --to d1 --service http://127.0.0.1:8787
  POSTGRES_URL=postgres://… npm run move -- --to postgres --env production --remote

  --to <which>     postgres or d1
  --empty          yes, what the target holds now is lost
  --service <url>  on this machine: where the source answers with READ_ONLY; without it, no service may run in this folder
${d1Help}
  POSTGRES_URL     the database of PostgreSQL, for a user who may make tables; on this machine, that of npm start -- --database postgres
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
  const moving = { to, empties: empty, database, service, url: given, config, env: values.env }
  await Promise.race([move(moving), interrupted(to)])
})
// Ends what was started for the move, also where it was interrupted.
process.exit()

/** Waits until somebody interrupts the move, which ends in a complaint then. */
async function interrupted(to: Moving['to']): Promise<never> {
  await untilInterrupted()
  throw complaint(
    to === 'd1'
      ? 'Interrupted: D1 may hold a part of the rows now. Begin again with --empty'
      : 'Interrupted: PostgreSQL holds what it did before, or all rows where the comparison was over. Look before you begin again with --empty',
  )
}
