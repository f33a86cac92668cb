import { parseArgs } from 'node:util'
import { runCommand } from '../lib/complaint.ts'
import { environments } from '../lib/config.ts'

// Wrangler runs this before every build (wrangler.toml, [build]), and says what the build is for. Only `wrangler dev` has anything to
// prepare: nothing that is made here is for a deployment.
if (process.env.WRANGLER_COMMAND === 'dev') {
  const { env } = parseArgs({ options: { env: { type: 'string' } } }).values
  const environment = environments.find((name) => name === env)
  const { prepare } = await import('./prepare.ts')
  await runCommand(() =>
    prepare(environment).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'WRONG_VARIABLES') {
        throw error
      }
      console.log(`Every answer is an error for now. ${error.message}`)
    }),
  )
}
