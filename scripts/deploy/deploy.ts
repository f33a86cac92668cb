import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { complaint, runCommand } from '../lib/complaint.ts'
import { paths } from '../lib/config.ts'
import { wrangler } from '../lib/wrangler.ts'
import { askWith } from './ask.ts'
import { migrationsChangedSince, readCommit } from './commit.ts'
import { readOptions } from './options.ts'

await runCommand(async () => {
  const options = readOptions(process.argv.slice(2))
  // Loaded only now: help is told at once.
  const { readSettings } = await import('./settings.ts')
  const { smokeTest, smokeToken } = await import('./smoke.ts')
  const { deploy } = await import('./steps.ts')
  const settings = readSettings(paths.wranglerConfig, options.env)
  const smoke = async (address: string, id: string | undefined): Promise<readonly string[]> => {
    const token = await smokeToken(process.env)
    if (token === undefined) {
      console.log('No SMOKE_TOKEN is set: the smoke test looks at the pages alone.')
    }
    const root = String(settings.vars.ROOT_PATH ?? '/jsonapi')
    const version = id === undefined ? undefined : { worker: settings.name, id }
    return smokeTest({ address, root, token, version })
  }
  await deploy(options, settings, {
    wrangler,
    ask: askWith(),
    migrationsChangedSince,
    test,
    commit: readCommit,
    smoke,
    confirm,
    print: console.log,
  })
})

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    return false
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(`${question} [y/N] `)
  terminal.close()
  return /^y(es)?$/i.test(answer.trim())
}

/** `npm test`, with its output passed on. */
async function test(): Promise<void> {
  const child = spawn('npm', ['test'], { cwd: paths.root, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) {
    throw complaint('The tests fail: nothing was deployed.')
  }
}
