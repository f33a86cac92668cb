import { runCommand } from '../lib/complaint.ts'
import { configOf } from '../lib/config.ts'
import { readOptions } from './options.ts'

await runCommand(async () => {
  const options = readOptions(process.argv.slice(2))
  // Loaded only now: help is printed at once.
  const { readSettings } = await import('./settings.ts')
  const { deploy } = await import('./steps.ts')
  const { toolsFor } = await import('./tools.ts')
  const { packClient } = await import('./client-package.ts')
  if (!options.dryRun && options.readOnly === undefined) {
    // A deployment can do without. To refuse writes is urgent: npm may wait for minutes where its registry is down.
    await packClient().catch(({ message }: Error) => {
      console.log(`The client package is not among the guides of this deployment: ${message}`)
    })
  }
  const settings = readSettings(configOf[options.engine], options.env)
  await deploy(options, settings, toolsFor(options, settings))
})
