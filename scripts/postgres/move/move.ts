import { setTimeout as sleep } from 'node:timers/promises'
import { readArguments } from '../../lib/arguments.ts'
import { complaint, runCommand } from '../../lib/complaint.ts'
import { lockState } from '../../lib/lock.ts'
import { createProgress } from '../../lib/progress.ts'
import { wrangler } from '../../lib/wrangler.ts'
import { d1From, d1Help, d1Options } from '../../operate/database.ts'
import { addressBeside, reached } from '../address.ts'
import { migrate } from '../migrate.ts'
import { ownDatabase } from '../own-database.ts'

/** Milliseconds after which every place of Cloudflare's network has a new deployment, and no write is under way that began before. */
const quietMs = 120_000

const help = `Copies all data from D1 to PostgreSQL. Nobody may write meanwhile: at Cloudflare all traffic must be on a version that
refuses them, and on this machine no service may run. docs/postgres.md, "Moving", has all steps.

  npm run move
  POSTGRES_URL=postgres://… npm run move -- --env production --remote

  --empty          yes, delete what PostgreSQL holds now
${d1Help}
  POSTGRES_URL     the database of PostgreSQL, for a user who may make tables; the default, on this machine, is
                   that of npm start -- --database postgres

D1 is only read. If anything fails, PostgreSQL stays as it was: begin again.
`

await runCommand(async () => {
  const options = { empty: { type: 'boolean', default: false }, ...d1Options } as const
  const { empty, ...values } = readArguments({ name: 'move', help, options })
  const d1 = d1From(values)
  const given = addressBeside(d1, process.env)
  // Loaded only now: help and complaints are printed at once.
  const { demandReadOnly } = await import('./read-only.ts')
  const { copy } = await import('./copy.ts')
  let deployment: string | undefined
  if (d1.isLocal) {
    lockState('npm run move')
  } else {
    deployment = await demandReadOnly(wrangler, d1.worker)
    console.log(`No write is accepted. Waiting ${quietMs / 1_000} s for those that were under way`)
    await sleep(quietMs)
  }
  const url = given ?? (await ownDatabase())
  await migrate(url)
  const client = await reached(url)
  const rows = await copy(d1.rows, client, {
    empty,
    progress: createProgress(),
    async last() {
      if (deployment !== undefined && deployment !== (await demandReadOnly(wrangler, d1.worker))) {
        throw complaint('There was another deployment meanwhile: begin again.')
      }
    },
  }).catch((error: Error) => {
    // An error of PostgreSQL itself would show what is in a row.
    throw error.name === 'Complaint' ? error : complaint(`PostgreSQL: ${error.message}`)
  })
  if (d1.isLocal) {
    // The next start of the service would load the demo people again.
    await client.query('CREATE TABLE IF NOT EXISTS demo_data (loaded_at text)')
  }
  await Promise.all([client.end(), d1.close()])
  const deploy = `npm run deploy -- --env ${values.env} --database postgres`
  const next = d1.isLocal
    ? 'Next: npm start -- --database postgres'
    : `Next: ${deploy} --other-database. Read from it.
Then ${deploy} --read-only off: from then on PostgreSQL is the truth.
To go back before that: npm run deploy -- --env ${values.env} --other-database --read-only off. D1 has not changed.`
  console.log(`PostgreSQL holds what D1 does, ${rows} rows.\n${next}`)
})
// Ends the server that was started for the move.
process.exit()
