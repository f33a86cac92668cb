import { runCommand } from '../lib/complaint.ts'
import { paths, readConfig } from '../lib/config.ts'
import { stopAll } from '../lib/wrangler.ts'
import { demandFiles, demandFreePort } from './checks.ts'

await runCommand(async () => {
  const config = readConfig()
  await demandFreePort('PORT', config.port)
  await demandFreePort('AUTH_PORT', config.authPort)
  demandFiles([paths.wranglerCommand, paths.wranglerConfig, paths.worker, paths.migrations])
  try {
    // Loaded only now: what it imports is among what may be missing.
    const { serve } = await import('./serve.ts')
    await Promise.race([interruption(), serve(config)])
  } finally {
    await stopAll()
  }
})
process.exit()

/** Settles on Ctrl-C and its kin, and when npm is killed: it passes signals to its shell, and no further. */
function interruption(): Promise<void> {
  const parent = process.ppid
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, () => resolve())
    }
    if (!process.env.npm_lifecycle_event) {
      return
    }
    setInterval(() => process.ppid !== parent && resolve(), 500).unref()
  })
}
