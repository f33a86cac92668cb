import { existsSync } from 'node:fs'
import { readArguments, wholeNumber } from '../../scripts/lib/arguments.ts'
import { complaint, runCommand } from '../../scripts/lib/complaint.ts'

const help = `Measures the service beside its floor, and prints tables for docs/proofs.md. Linux only. Measure CPU only
while nothing else runs on the machine.

  npm run bench                      CPU of the requests (a) to (f), and the bundles; some ten minutes
  npm run bench -- --beside FILE     the same, in turn with another bundle of the service; can be given several times
  npm run bench -- --waits           how many round trips a caller waits for, with database, limiter and issuer far away; three minutes
  npm run bench -- --contention      how writes of many callers get in each other's way on PostgreSQL, whose answers take 5 ms; --beside
                                     names folders of other checkouts; half a minute for each
  npm run bench -- --move 200000     time and memory of a move of so many users to PostgreSQL; two minutes
  npm run bench -- --clients         250 reads beyond the rate limit, by the client package and by a plain loop; one minute

  --only <names>      these requests alone: --only ae
  --rounds <number>   the default is 7
`

const all = 'abcdefghij'

await runCommand(async () => {
  const options = readArguments({
    name: 'bench',
    help,
    options: {
      beside: { type: 'string', multiple: true, default: [] },
      waits: { type: 'boolean', default: false },
      contention: { type: 'boolean', default: false },
      clients: { type: 'boolean', default: false },
      move: { type: 'string' },
      only: { type: 'string', default: all },
      rounds: { type: 'string', default: '7' },
    },
  })
  const { beside, only } = options
  const rounds = wholeNumber('rounds', options.rounds)
  if (![...only].some((letter) => all.includes(letter))) {
    throw complaint(`--only must be some of the letters ${all}, not "${only}".`)
  }
  const absent = beside.find((file) => !existsSync(file))
  if (absent !== undefined) {
    throw complaint(`There is no ${absent} for --beside.`)
  }
  if (options.move !== undefined) {
    const { printMove } = await import('./move.ts')
    await printMove(wholeNumber('move', options.move))
    process.exit()
  }
  if (options.contention) {
    const { printContention } = await import('./contention.ts')
    await printContention(beside)
    process.exit()
  }
  // Loaded only now: help is told at once.
  const { scratchFolder } = await import('./scratch.ts')
  const { startIssuer } = await import('./issuer.ts')
  const { circumstances } = await import('./figures.ts')
  const folder = scratchFolder()
  const issuer = await startIssuer()
  const { prepareContenders } = await import('./contenders.ts')
  const contenders = await prepareContenders(folder, issuer, beside)
  console.log(circumstances())
  if (options.waits) {
    const { printWaits } = await import('./waits.ts')
    await printWaits(contenders, issuer, only)
  } else if (options.clients) {
    const { printPatience } = await import('./patience.ts')
    await printPatience(contenders[0], issuer)
  } else {
    const { printRatios } = await import('./ratios.ts')
    await printRatios(contenders, issuer, only, rounds)
  }
  issuer.close()
})
