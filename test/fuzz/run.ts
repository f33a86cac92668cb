import { readArguments, wholeNumber } from '../../scripts/lib/arguments.ts'
import { runCommand } from '../../scripts/lib/complaint.ts'

const help = `Makes requests from nothing but the service's interface description, sends them, and prints wrong answers.

  npm run fuzz
  npm run fuzz -- --seed 1 --cases 20000 --operation listUsers

  --seed <number>      makes the same requests again; the default is another one in each run
  --cases <number>     how many, 5000 by default; the database and workerd grow with them
  --operation <id>     of this operation alone
`

await runCommand(async () => {
  const values = readArguments({
    name: 'fuzz',
    help,
    options: {
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      cases: { type: 'string', default: '5000' },
      operation: { type: 'string' },
    },
  })
  const seed = wholeNumber('seed', values.seed)
  const options = { seed, cases: wholeNumber('cases', values.cases), only: values.operation }
  // Loaded only now: help is told at once.
  const { fuzzRound } = await import('./round.ts')
  const start = performance.now()
  const { cases, findings, statuses } = await fuzzRound(options)
  const told = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`)
  console.log(`Answers by status: ${told.join(', ')}`)
  // They come last: who keeps the end of what a run prints has them.
  for (const finding of findings) {
    console.log(`${finding}\n`)
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  console.log(`${cases} cases, ${findings.length} findings, seed ${seed}, ${seconds} s`)
  process.exitCode = findings.length === 0 && cases > 0 ? 0 : 1
})
