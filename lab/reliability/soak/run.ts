import { argumentsOrExit } from '../../../scripts/lib/arguments.ts'
import type { Report } from './load.ts'
import { wishFrom } from './target.ts'
import type { MemoryPoint } from './verdict.ts'

const help = `Reads and writes at a steady rate for a long time, and tells what failed, how long answers took, and whether all is well.

  npm run soak                                        against a service of its own, whose database is checked afterwards
  npm run soak -- --minutes 1 --rate 20
  SOAK_TOKEN=… npm run soak -- --url https://api.example.com/jsonapi --allow api.example.com

  --minutes <number>   60 unless given; 5 with --url, at most 60 there
  --callers <number>   how many at once; 50 unless given; 5 with --url, at most 20 there
  --rate <number>      requests a second, of all together; 50 unless given; 5 with --url, at most 50 there
  --url <address>      root path of a deployed service: it is read from with SOAK_TOKEN, as the tour does
  --allow <host>       the host of that address once more: load is sent nowhere by mistake
  --writes             with --url, make users, change them and delete them again, too; SOAK_TOKEN is a person's then,
                       for the scopes users.read, users.citizenships.read and users.write
`

const values = argumentsOrExit({
  name: 'soak',
  help,
  options: {
    minutes: { type: 'string' },
    callers: { type: 'string' },
    rate: { type: 'string' },
    url: { type: 'string' },
    allow: { type: 'string' },
    writes: { type: 'boolean', default: false },
  },
})

const wish = wishFrom(values, process.env.SOAK_TOKEN)
if (typeof wish === 'string') {
  console.error(wish)
  process.exit(1)
}
if ('url' in wish) {
  const { load } = await import('./load.ts')
  await tell(await load(wish), [], [])
} else {
  const { soakLocally } = await import('./local.ts')
  const { report, database, memory } = await soakLocally(wish)
  console.log({ database })
  // The rate is far below what a caller may spend here.
  const refusals = report.refused > 0 ? { 'is refused by the limiter': report.refused } : {}
  await tell({ ...report, faults: { ...report.faults, ...refusals } }, database.faults, memory)
}

async function tell(
  report: Report,
  database: readonly string[],
  memory: readonly MemoryPoint[],
): Promise<void> {
  const { verdictOf } = await import('./verdict.ts')
  console.log(report)
  const errors = Object.values(report.faults).reduce((sum, count) => sum + count, 0)
  const { isWell, text } = verdictOf({ requests: report.requests, errors, database, memory })
  console.log(text)
  process.exitCode = isWell ? 0 : 1
}
