import { argumentsOrExit } from '../../scripts/lib/arguments.ts'

const help = `Measures the service beside its floor and its peers. Linux only: CPU is read from /proc.

  npm run bench                 beside the floor and the peers, into docs/performance.md; some fifteen minutes
  npm run bench -- --beside FILE   the same requests, in turn with another bundle of the service; writes nothing
  npm run bench -- --only ab    these requests alone; writes nothing
  npm run bench -- --network    only how many ways a caller waits for, with database, limiter and issuer far away
  npm run bench -- --startup    only what it takes to start the Worker; two minutes
  npm run bench -- --startup --beside FILE   the same, in turn with another bundle; writes nothing
`

/** What the command line asks for. */
export const options = argumentsOrExit({
  name: 'bench',
  help,
  options: {
    only: { type: 'string' },
    network: { type: 'boolean', default: false },
    startup: { type: 'boolean', default: false },
    beside: { type: 'string' },
  },
})
