import { argumentsOrExit } from '../../../scripts/lib/arguments.ts'

const help = `Attacks the rate limiter: the bucket's own code in simulated lives, then the real object over HTTP at twice the
allowed rate, then a search for the requests that cost most per token.

  npm run attack
  npm run attack -- --cost --seconds 60 --counts-only

  --seed <number>       makes the same choices again
  --seconds <number>    of the two other parts, of which the search makes at least a thousand requests; 60 unless given
  --cost                the search alone
  --only <operation>    the search in one operation
  --counts-only         do not measure CPU: the machine is shared
`

const values = argumentsOrExit({
  name: 'attack',
  help,
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    seconds: { type: 'string', default: '60' },
    cost: { type: 'boolean', default: false },
    only: { type: 'string' },
    'counts-only': { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed)
const seconds = Number(values.seconds)

const holds = values.cost || limiterHolds()
process.exitCode = (await holds) && (await costHolds()) ? 0 : 1

async function limiterHolds(): Promise<boolean> {
  const { simulate } = await import('../../../test/unit/rate-limit/simulate.ts')
  const { attackBucket } = await import('./bucket.ts')
  const simulated = simulate({ requests: 1_000_000, seed })
  console.log(`Simulated, seed ${seed}:`, simulated)
  const real = await attackBucket(seconds)
  console.log('Over HTTP:', real)
  return simulated.overAdmitted === 0 && real.isBound && real.isGenerous
}

async function costHolds(): Promise<boolean> {
  const { attackCost } = await import('./cost/cost.ts')
  return attackCost({
    seed,
    seconds,
    only: values.only,
    withCpu: !values['counts-only'],
  })
}
