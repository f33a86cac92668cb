import { parseArgs } from 'node:util'
import { runCommand } from '../lib/complaint.ts'
import { environments } from '../lib/config.ts'

// Wrangler runs this before every build (wrangler.toml, [build]), and says what the build is for. Only `wrangler dev` has anything to
// prepare: nothing that is made here is for a deployment.
if (process.env.WRANGLER_COMMAND === 'dev') {
  await runCommand(async () => {
    const { env } = parseArgs({ options: { env: { type: 'string' } } }).values
    const environment = environments.find((name) => name === env)
    const { prepare } = await import('./prepare.ts')
    const fault = await prepare(environment, console.log)
    if (fault !== '') {
      console.log(`Every answer is an error for now. ${fault}`)
    }
  })
}
