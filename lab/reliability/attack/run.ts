import { argumentsOrExit } from '../../../scripts/lib/arguments.ts'

const help = `Searches for the requests that cost most for the tokens that they take, and holds them to bounds.

  npx node scripts/run.js lab/reliability/attack/run.ts
  npx node scripts/run.js lab/reliability/attack/run.ts --seconds 60 --counts-only

  --seed <number>       makes the same choices again
  --seconds <number>    of searching, which makes at least a thousand requests; 60 unless given
  --only <operation>    the search in one operation
  --counts-only         do not measure CPU: the machine is shared
`

const values = argumentsOrExit({
  name: 'attack',
  help,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seconds: { type: 'string', default: '60' },
    only: { type: 'string' },
    'counts-only': { type: 'boolean', default: false },
  },
})

// Loaded only now: help is told at once.
const { attackCost } = await import('./cost.ts')
const holds = await attackCost({
  seed: Number(values.seed),
  seconds: Number(values.seconds),
  only: values.only,
  withCpu: !values['counts-only'],
})
process.exitCode = holds ? 0 : 1
