import { createInterface } from 'node:readline/promises'
import { runCommand } from '../lib/complaint.ts'
import { configOf } from '../lib/config.ts'
import { npmRun } from '../lib/npm.ts'
import { wrangler } from '../lib/wrangler.ts'
import { addressIn } from '../postgres/address.ts'
import { askWith } from './ask.ts'
import { migrationsChangedSince, readCommit } from './commit.ts'
import { readOptions } from './options.ts'

await runCommand(async () => {
  const options = readOptions(process.argv.slice(2))
  // Not for what this command starts: tests would take the database for their own.
  const { POSTGRES_URL } = process.env
  delete process.env.POSTGRES_URL
  // Loaded only now: help is told at once.
  const { readSettings } = await import('./settings.ts')
  const { smokeTest, smokeToken } = await import('./smoke.ts')
  const { deploy } = await import('./steps.ts')
  const settings = readSettings(configOf[options.engine], options.env)
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
    async test() {
      const so = ': nothing was deployed'
      await npmRun('test', so)
      if (options.engine === 'postgres') {
        await npmRun('test:postgres', so)
      }
    },
    postgresUrl: () => addressIn({ POSTGRES_URL }),
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
