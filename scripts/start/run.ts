import { readArguments } from '../lib/arguments.ts'
import { runCommand } from '../lib/complaint.ts'
import { type LocalConfig, paths, readConfig } from '../lib/config.ts'
import { lockState } from '../lib/lock.ts'
import { stopAll } from '../lib/wrangler.ts'
import { demandFiles, demandFreePort, untilInterrupted } from './process.ts'

/**
 * Runs a command that serves until it is interrupted, once it is sure that nothing is in its way.
 *
 * @param command how it is called: `npm start`, say
 * @param serve is called with the ports, and loads what it needs only then: that may be missing
 */
export async function runServer(
  {
    name,
    command,
    help,
  }: { readonly name: string; readonly command: string; readonly help: string },
  serve: (config: LocalConfig) => Promise<unknown>,
): Promise<never> {
  await runCommand(async () => {
    readArguments({ name, help, options: {} })
    const config = readConfig()
    lockState(command)
    await demandFreePort('PORT', config.port)
    await demandFreePort('AUTH_PORT', config.authPort)
    demandFiles([paths.wranglerCommand, paths.wranglerConfig, paths.worker, paths.migrations])
    try {
      await Promise.race([untilInterrupted(), serve(config)])
    } finally {
      await stopAll()
    }
  })
  process.exit()
}
