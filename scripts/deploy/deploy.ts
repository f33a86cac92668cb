import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { complaint, runCommand } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import { wrangler } from '../lib/wrangler.ts'
import { readOptions } from './options.ts'
import { readSettings } from './settings.ts'
import { deploy } from './steps.ts'

await runCommand(async () => {
  const options = readOptions(process.argv.slice(2))
  const settings = readSettings(paths.wranglerConfig, options.env)
  await deploy(options, settings, { wrangler, test, print: console.log })
})

/** `npm test`, with its output passed on. */
async function test(): Promise<void> {
  const child = spawn('npm', ['test'], { cwd: paths.root, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) {
    throw complaint('The tests fail: nothing was deployed.')
  }
}
