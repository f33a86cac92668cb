import { argumentsOrExit } from '../../../scripts/lib/arguments.ts'
import type { Round } from './round.ts'

const help = `Sends requests made from the service's own interface description, and from nothing else that is known of it.

  npm run fuzz
  npm run fuzz -- --seed 1 --cases 20000 --operation listUsers

  --seed <number>      makes the same requests again; another one in each run unless given
  --cases <number>     how many; 5000 unless given
  --operation <id>     of this operation alone
`

const values = argumentsOrExit({
  name: 'fuzz',
  help,
  options: {
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    cases: { type: 'string', default: '5000' },
    operation: { type: 'string' },
  },
})

// Loaded only now: help is told at once.
const { fuzzRound } = await import('./round.ts')

/** A round has a service of its own, which bounds how large its database and its process grow. */
const mostInRound = 20_000

const seed = Number(values.seed)
const start = performance.now()
const rounds: Round[] = []
for (let left = Number(values.cases); left > 0; left -= mostInRound) {
  const cases = Math.min(left, mostInRound)
  const round = await fuzzRound({ seed: seed + rounds.length, cases, only: values.operation })
  rounds.push(round)
  console.log(`Round ${rounds.length}: ${round.cases} cases, ${round.findings.length} findings`)
}

const statuses = new Map<number, number>()
for (const [status, count] of rounds.flatMap((round) => [...round.statuses])) {
  statuses.set(status, (statuses.get(status) ?? 0) + count)
}
const told = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
const cases = rounds.reduce((sum, round) => sum + round.cases, 0)
const findings = rounds.flatMap((round) => round.findings)
const seconds = (performance.now() - start) / 1000
console.log(`Answers by status: ${told.join(', ')}`)
// They come last: who keeps the end of what a run prints has them.
for (const finding of findings) {
  console.log(`${finding}\n`)
}
console.log(`${cases} cases, ${findings.length} findings, seed ${seed}, ${seconds.toFixed(0)} s`)
process.exitCode = findings.length === 0 && cases > 0 ? 0 : 1
