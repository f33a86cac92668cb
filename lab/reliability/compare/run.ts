import { argumentsOrExit } from '../../../scripts/lib/arguments.ts'

const help = `Sends the same requests to the service on D1 and on PostgreSQL, and compares the answers byte for byte, but for ids, tags, cursors
and times. The requests are some hundred by hand, and random ones of each documented operation.

  npx node scripts/run.js lab/reliability/compare/run.ts
  npx node scripts/run.js lab/reliability/compare/run.ts --seed 1 --cases 100
  POSTGRES_URL=postgres://user:password@127.0.0.1:5432/postgres npx node scripts/run.js lab/reliability/compare/run.ts

  --seed <number>     makes the same requests again; another one in each run unless given
  --cases <number>    how many of each operation; 70 unless given, which makes a thousand reads and half as many writes
  POSTGRES_URL        a server that runs already, for a user who may make databases
`

const values = argumentsOrExit({
  name: 'compare',
  help,
  options: {
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    cases: { type: 'string', default: '70' },
  },
})

// Loaded only now: help is told at once.
const { compare } = await import('./lockstep.ts')
const { postgres } = await import('../../../test/postgres/database.ts')
const { d1 } = await import('../../../test/support/databases.ts')
const { startServers } = await import('../../../test/support/server.ts')
const { audience, createSigningKey, issuer } = await import('../../../test/support/signing-key.ts')
const { signerOf } = await import('../../../test/bench/issuer.ts')

const seed = Number(values.seed)
const key = await createSigningKey()
const sign = await signerOf(key.secret, issuer, audience)
const vars = { RATE_LIMIT_BURST_CAPACITY: '999999', RATE_LIMIT_REPLENISH_RATE: '999999' }
const start = performance.now()
const servers = [
  await startServers([key.published], d1),
  await startServers([key.published], await postgres()),
] as const
try {
  const [first, second] = await Promise.all(
    servers.map(async (server) => ({ origin: await server.urlOf(vars), sign })),
  )
  if (!first || !second) {
    throw new Error('Two services are compared')
  }
  const { requests, statuses, differences } = await compare([first, second], {
    seed,
    perOperation: Number(values.cases),
  })
  for (const difference of differences) {
    console.error(`${difference}\n`)
  }
  const told = [...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`)
  const seconds = (performance.now() - start) / 1000
  console.log(`Answers by status: ${told.join(', ')}`)
  console.log(
    `${requests} requests, ${differences.length} answers differ, seed ${seed}, ${seconds.toFixed(0)} s`,
  )
  process.exitCode = differences.length === 0 ? 0 : 1
} finally {
  await Promise.all(servers.map((server) => server.close()))
}
