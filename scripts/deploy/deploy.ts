import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runCommand } from '../lib/complaint.ts'
import { configOf } from '../lib/config.ts'
import { wrangler } from '../lib/wrangler.ts'
import { addressIn } from '../postgres/address.ts'
import { inCommit, readCommit } from './commit.ts'
import { readOptions } from './options.ts'

/** Milliseconds after which a version that has just been deployed without traffic can be asked for everywhere. */
const spreadMs = 10_000

await runCommand(async () => {
  const options = readOptions(process.argv.slice(2))
  // Loaded only now: help is printed at once.
  const { readSettings } = await import('./settings.ts')
  const { smokeTest, smokeToken } = await import('./smoke.ts')
  const { deploy } = await import('./steps.ts')
  const { packClient } = await import('./client-package.ts')
  if (!options.dryRun && options.readOnly === undefined) {
    // A deployment can do without. To refuse writes is urgent: npm may wait for minutes where its registry is down.
    await packClient().catch(({ message }: Error) => {
      console.log(`The client package is not among the guides of this deployment: ${message}`)
    })
  }
  const config = configOf[options.engine]
  const settings = readSettings(config, options.env)
  await deploy(options, settings, {
    wrangler,
    postgresUrl: () => addressIn(process.env),
    commit: readCommit,
    inCommit,
    settingsIn: (folder) => readSettings(join(folder, basename(config)), options.env),
    async smoke(address, id) {
      const token = await smokeToken(process.env)
      if (token === undefined) {
        console.log('No SMOKE_TOKEN is set: the smoke test looks at the pages alone.')
      }
      const root = settings.vars.ROOT_PATH ?? '/jsonapi'
      if (id === undefined) {
        return smokeTest({ address, root, token })
      }
      await sleep(spreadMs)
      return smokeTest({ address, root, token, version: { worker: settings.name, id } })
    },
    print: console.log,
  })
})
