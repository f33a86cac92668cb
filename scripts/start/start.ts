import { readArguments } from '../lib/arguments.ts'
import { runCommand } from '../lib/complaint.ts'
import { paths, readConfig } from '../lib/config.ts'
import { lockState } from '../lib/lock.ts'
import { stopAll } from '../lib/wrangler.ts'
import { demandFiles, demandFreePort, untilInterrupted } from './process.ts'

const help = `Runs the service on this machine, with an authorization server and demo data, until Ctrl-C.

  npm start
  PORT=8080 AUTH_PORT=9500 npm start

  PORT        where the service listens; 8787 unless given
  AUTH_PORT   where the authorization server listens; 9400 unless given

The state is kept in .wrangler: npm run reset forgets it. One service at a time runs in a folder.
`

await runCommand(async () => {
  readArguments({ name: 'start', help, options: {} })
  const config = readConfig()
  lockState('npm start')
  await demandFreePort('PORT', config.port)
  await demandFreePort('AUTH_PORT', config.authPort)
  demandFiles([paths.wranglerCommand, paths.wranglerConfig, paths.worker, paths.migrations])
  try {
    // Loaded only now: what it imports is among what may be missing.
    const { serve } = await import('./serve.ts')
    await Promise.race([untilInterrupted(), serve(config)])
  } finally {
    await stopAll()
  }
})
process.exit()
